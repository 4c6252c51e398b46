//! `tree_each`.

use std::collections::VecDeque;
use std::sync::Arc;

use pp_types::{Hash, IteratorValue, TupleType, Type, Value, is_instance};

use crate::arguments::fail;
use crate::elements::index_value;
use crate::function::{Call, Function};
use crate::host::Interrupt;

pub(crate) static TREE_EACH: Function = Function::with_aliases(
    "tree_each",
    &[(
        "OptionsType",
        "Struct[{'container_type' => Optional[Type], 'include_root' => Optional[Boolean], \
         'include_containers' => Optional[Boolean], 'include_values' => Optional[Boolean], \
         'order' => Optional[Enum['breadth_first', 'depth_first']], 'include_refs' => Optional[Boolean]}]",
    )],
    &[
        "Variant[Iterator, Array, Hash, Object] tree, OptionsType ?options, Callable[2, 2] &block",
        "Variant[Iterator, Array, Hash, Object] tree, OptionsType ?options, Callable[1, 1] &block",
        "Variant[Iterator, Array, Hash, Object] tree, OptionsType ?options",
    ],
    "Visits all values in nested arrays and hashes, the outermost included. A block with two parameters gets the path to a \
     value, an array of keys and indexes, and the value; one with a single parameter gets the value. Without a block the \
     result is an iterator over pairs of path and value. Options: `order` (`depth_first` or `breadth_first`), \
     `include_root`, `include_containers` and `include_values`, which are true unless set, and `container_type`, the type of \
     the values to look into.",
    tree_each,
);

struct Options {
    container_type: Option<Type>,
    include_root: bool,
    include_containers: bool,
    include_values: bool,
    is_breadth_first: bool,
}

impl Options {
    fn of(options: Option<&Hash>) -> Result<Options, Interrupt> {
        let get = |name: &str| options.and_then(|options| options.get(&Value::from(name))).unwrap_or(&Value::Undef);
        let is_on = |name: &str| *get(name) != Value::Boolean(false);
        let parsed = Options {
            container_type: match get("container_type") {
                Value::Type(ty) => Some(container_type(ty)?),
                _ => None,
            },
            include_root: is_on("include_root") && is_on("include_containers"),
            include_containers: is_on("include_containers"),
            include_values: is_on("include_values"),
            is_breadth_first: *get("order") == Value::from("breadth_first"),
        };
        if !parsed.include_containers && !parsed.include_values {
            return Err(fail("Options 'include_containers' and 'include_values' cannot both be false"));
        }
        Ok(parsed)
    }

    /// Returns what is inside a value; `None` if it is not a container.
    fn children(&self, Node { path, value }: &Node) -> Option<Vec<(Value, Value)>> {
        if self.container_type.as_ref().is_some_and(|ty| !is_instance(ty, value)) {
            return None;
        }
        match value {
            Value::Array(values) => {
                Some(values.iter().enumerate().map(|(index, value)| (index_value(index), value.clone())).collect())
            }
            Value::Hash(entries) => Some(entries.iter().map(|(key, value)| (key.clone(), value.clone())).collect()),
            Value::Iterator(iterator) if path.is_empty() => {
                let values = iterator.all().iter().enumerate();
                Some(values.map(|(index, value)| (index_value(index), value.clone())).collect())
            }
            Value::Deferred(deferred) => Some(vec![
                ("name".into(), Value::String(deferred.name.clone())),
                ("arguments".into(), Value::Array(deferred.arguments.clone().unwrap_or_default())),
            ]),
            _ => None,
        }
    }
}

fn container_type(ty: &Type) -> Result<Type, Interrupt> {
    let is_container =
        |ty: &Type| matches!(ty, Type::Array(..) | Type::Hash(..) | Type::Tuple(_) | Type::Struct(_) | Type::Object(_));
    let is_allowed = match ty {
        Type::Variant(types) => types.iter().all(is_container),
        ty => is_container(ty),
    };
    if is_allowed {
        return Ok(ty.clone());
    }
    Err(fail(format!("Only Array, Hash, and Object types can be used as container types. Got {ty}")))
}

/// The memory that an array takes beside its elements.
const ARRAY_BYTES: usize = 64;

/// Returns the memory that a value below a path takes: as a node, and as a pair of path and value.
fn bytes_of_child(path: &[Value]) -> usize {
    size_of::<Node>() + 2 * ARRAY_BYTES + (path.len() + 3) * size_of::<Value>()
}

/// A value and the path to it.
struct Node {
    path: Vec<Value>,
    value: Value,
}

fn tree_each(call: &mut Call<'_>) -> Result<Value, Interrupt> {
    let options = Options::of(call.hash(1))?;
    let mut pairs = Vec::new();
    // The nodes that are still to be visited: a stack from the back, or a queue from the front.
    let mut nodes = VecDeque::from([Node { path: Vec::new(), value: call.argument(0).clone() }]);
    while let Some(node) = if options.is_breadth_first { nodes.pop_front() } else { nodes.pop_back() } {
        let children = options.children(&node);
        let is_included = match (node.path.is_empty(), &children) {
            (true, _) => options.include_root,
            (false, Some(_)) => options.include_containers,
            (false, None) => options.include_values,
        };
        if let Some(children) = children {
            call.charge(children.len(), children.len() * bytes_of_child(&node.path))?;
            let children = children.into_iter().map(|(key, value)| {
                let mut path = Vec::with_capacity(node.path.len() + 1);
                path.extend_from_slice(&node.path);
                path.push(key);
                Node { path, value }
            });
            if options.is_breadth_first { nodes.extend(children) } else { push_reversed(&mut nodes, children) }
        }
        if !is_included {
            continue;
        }
        let path = Value::array(node.path);
        match (call.block, call.signature) {
            (None, _) => pairs.push(Value::array(vec![path, node.value])),
            (Some(_), 0) => {
                if call.iterate_block(&[path, node.value])?.is_none() {
                    break;
                }
            }
            (Some(_), _) => {
                if call.iterate_block(&[node.value])?.is_none() {
                    break;
                }
            }
        }
    }
    if call.block.is_some() {
        return Ok(call.argument(0).clone());
    }
    let types = vec![Type::array(Type::Any, None), Type::Any];
    let element = Type::Tuple(Arc::new(TupleType { types, size: None }));
    Ok(Value::Iterator(IteratorValue::new(element, pairs)))
}

/// Pushes nodes so that the first one is visited next.
fn push_reversed(nodes: &mut VecDeque<Node>, children: impl DoubleEndedIterator<Item = Node>) {
    nodes.extend(children.rev());
}
