//! Merging the values of several levels (spec 07 §5.13, §10.4).

use std::sync::LazyLock;

use pp_types::{Error, ErrorKind, Hash, Type, Value, describe_mismatch, is_instance, parse_type};
use rustc_hash::FxHashSet;

use crate::deep_merge::{DeepOptions, deep_merge};
use crate::problem::error;

/// How the values of several levels become one.
#[derive(Clone, Debug, PartialEq)]
pub struct Merge {
    /// The strategy.
    pub(crate) strategy: Strategy,
    /// Its options as they were given, for explanations.
    pub(crate) given: Hash,
}

/// A merge strategy.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Strategy {
    First,
    Unique,
    Hash,
    Deep(DeepOptions),
    /// `deep` with the roles of high and low priority exchanged.
    ReverseDeep(DeepOptions),
    /// `deep`, by a name of its own.
    UnconstrainedDeep(DeepOptions),
}

/// Types of options and values, parsed when they are first needed.
struct Types {
    plain: Option<Type>,
    deep: Option<Type>,
    hash: Option<Type>,
    unique: Option<Type>,
}

static TYPES: LazyLock<Types> = LazyLock::new(|| {
    let ty = |text: &str| parse_type(text, &|_| None).ok();
    Types {
        plain: ty("Struct[{strategy => Any}]"),
        deep: ty("Struct[{strategy => Any, Optional[knockout_prefix] => Variant[Undef, String], \
                  Optional[merge_debug] => Variant[Undef, Boolean], \
                  Optional[merge_hash_arrays] => Variant[Undef, Boolean], \
                  Optional[sort_merged_arrays] => Variant[Undef, Boolean]}]"),
        hash: ty("Hash"),
        unique: ty("Variant[Scalar, Array]"),
    }
});

impl Merge {
    /// The strategy without a merge.
    #[must_use]
    pub fn first() -> Merge {
        Merge { strategy: Strategy::First, given: Hash::default() }
    }

    /// Merges the outermost keys of hashes: how `lookup_options` are combined.
    pub(crate) fn hash() -> Merge {
        Merge { strategy: Strategy::Hash, given: Hash::default() }
    }

    /// Reads a merge: the name of a strategy, or a hash of it and its options.
    ///
    /// # Errors
    /// An unknown strategy or option.
    pub fn new(value: &Value) -> Result<Merge, Error> {
        let mut given = match value {
            Value::Hash(options) => options.0.clone(),
            other => Hash::from_iter([(Value::from("strategy"), other.clone())]),
        };
        let name = match given.get(&Value::from("strategy")) {
            Some(Value::String(name)) => name.to_string(),
            Some(Value::Undef) | None => {
                let message = "The hash given as 'merge' must contain the name of a strategy in string form for the key 'strategy'";
                return Err(error(message).help("e.g. `{'strategy' => 'deep', 'knockout_prefix' => '--'}`"));
            }
            Some(other) => pp_types::interpolate(other),
        };
        let unknown = || {
            error(format!("Unknown merge strategy: '{name}'")).help("a merge is `first`, `unique`, `hash` or `deep`")
        };
        let is_deep = matches!(name.as_str(), "deep" | "reverse_deep" | "unconstrained_deep");
        let expected = if is_deep { &TYPES.deep } else { &TYPES.plain };
        if !is_deep && !matches!(name.as_str(), "first" | "default" | "unique" | "hash") {
            return Err(unknown());
        }
        let options = Value::hash(given.clone());
        if let Some(ty) = expected
            && !is_instance(ty, &options)
        {
            let message = describe_mismatch("The merge options has wrong type,", ty, &options);
            return Err(Error::new(ErrorKind::Mismatch, message));
        }
        given.shift_remove(&Value::from("strategy"));
        let strategy = match name.as_str() {
            "first" | "default" => Strategy::First,
            "unique" => Strategy::Unique,
            "hash" => Strategy::Hash,
            "deep" => Strategy::Deep(DeepOptions::new(&given)?),
            "reverse_deep" => Strategy::ReverseDeep(DeepOptions::new(&given)?),
            _ => Strategy::UnconstrainedDeep(DeepOptions::new(&given)?),
        };
        Ok(Merge { strategy, given })
    }

    /// Whether the first value that is found is the result.
    pub(crate) fn is_first(&self) -> bool {
        self.strategy == Strategy::First
    }

    /// Returns the name of the strategy.
    pub(crate) fn name(&self) -> &'static str {
        match self.strategy {
            Strategy::First => "first",
            Strategy::Unique => "unique",
            Strategy::Hash => "hash",
            Strategy::Deep(_) => "deep",
            Strategy::ReverseDeep(_) => "reverse_deep",
            Strategy::UnconstrainedDeep(_) => "unconstrained_deep",
        }
    }

    /// Returns the form that a value takes that is the only one.
    pub(crate) fn single(&self, value: Value) -> Value {
        match self.strategy {
            Strategy::Unique => {
                let mut elements = Vec::new();
                flatten(&value, &mut elements);
                Value::array(elements)
            }
            _ => value,
        }
    }

    /// Merges a value of low priority into what was merged before.
    ///
    /// # Errors
    /// Values that the strategy cannot merge.
    pub(crate) fn merge(&self, high: &Value, low: &Value) -> Result<Value, Error> {
        match &self.strategy {
            Strategy::First => Ok(high.clone()),
            Strategy::Unique => {
                check(&TYPES.unique, high, low, |value| *value == Value::Undef)?;
                let mut elements = Vec::new();
                flatten(high, &mut elements);
                flatten(low, &mut elements);
                let mut seen = FxHashSet::default();
                elements.retain(|element| seen.insert(element.clone()));
                Ok(Value::array(elements))
            }
            Strategy::Hash => {
                check(&TYPES.hash, high, low, |_| false)?;
                let (Value::Hash(high), Value::Hash(low)) = (high, low) else { return Ok(high.clone()) };
                let mut merged = low.0.clone();
                merged.extend(high.iter().map(|(key, value)| (key.clone(), value.clone())));
                Ok(Value::hash(merged))
            }
            Strategy::Deep(options) | Strategy::UnconstrainedDeep(options) => deep_merge(high, low, options),
            Strategy::ReverseDeep(options) => deep_merge(low, high, options),
        }
    }
}

fn check(ty: &Option<Type>, high: &Value, low: &Value, is_exempt: impl Fn(&Value) -> bool) -> Result<(), Error> {
    let Some(ty) = ty else { return Ok(()) };
    for (ordinal, value) in [("first", high), ("second", low)] {
        if !is_exempt(value) && !is_instance(ty, value) {
            let message = describe_mismatch(&format!("The {ordinal} element of the merge has wrong type,"), ty, value);
            return Err(Error::new(ErrorKind::Mismatch, message)
                .help("the values of all levels must fit the merge; `deep` merges any"));
        }
    }
    Ok(())
}

/// Adds a value, or the elements of nested arrays.
fn flatten(value: &Value, out: &mut Vec<Value>) {
    let mut pending = vec![value];
    while let Some(value) = pending.pop() {
        match value {
            Value::Array(elements) => pending.extend(elements.iter().rev()),
            other => out.push(other.clone()),
        }
    }
}
