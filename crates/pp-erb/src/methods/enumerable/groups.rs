//! Groups, slices, pairs and counts of elements.

use pp_types::KeyState;

use crate::interpreter::Interpreter;
use crate::key::{Key, Keys};
use crate::methods::args::{Args, enumerator};
use crate::methods::method::{Method, method, variadic};
use crate::stop::{Eval, Raise};
use crate::value::{Entries, Value};

pub(in crate::methods) static GROUPS: &[Method] = &[
    method("chunk_while", 0, 0, |vm, this, args| slices(vm, this, args, |result| !result.is_true())),
    method("each_cons", 1, 1, |vm, this, args| {
        let Some(block) = args.block else { return enumerator(this, "each_cons", args) };
        let size = positive(args.int(0)?, "invalid size")?;
        for window in vm.elements(this)?.windows(size) {
            let window = vm.list(window.to_vec())?;
            vm.yield_one(block, window)?;
        }
        Ok(this.clone())
    }),
    method("each_slice", 1, 1, |vm, this, args| {
        let size = positive(args.int(0)?, "invalid slice size")?;
        let Some(block) = args.block else { return enumerator(this, "each_slice", args) };
        for slice in vm.elements(this)?.chunks(size) {
            let slice = vm.list(slice.to_vec())?;
            vm.yield_one(block, slice)?;
        }
        Ok(this.clone())
    }),
    method("group_by", 0, 0, |vm, this, args| {
        let Some(block) = args.block else { return enumerator(this, "group_by", args) };
        let mut groups: indexmap::IndexMap<Key, Vec<Value>, KeyState> = indexmap::IndexMap::default();
        for item in vm.elements(this)? {
            let key = vm.yield_one(block, item.clone())?;
            groups.entry(Key::new(&vm.work, key)).or_default().push(item);
        }
        Ok(Value::hash(groups.into_iter().map(|(key, items)| (key, Value::array(items))).collect()))
    }),
    method("partition", 0, 0, |vm, this, args| {
        let Some(block) = args.block else { return enumerator(this, "partition", args) };
        let (mut yes, mut no) = (Vec::new(), Vec::new());
        for item in vm.elements(this)? {
            if vm.yield_one(block, item.clone())?.is_true() { yes.push(item) } else { no.push(item) }
        }
        vm.list(vec![Value::array(yes), Value::array(no)])
    }),
    method("slice_when", 0, 0, |vm, this, args| slices(vm, this, args, Value::is_true)),
    method("tally", 0, 0, |vm, this, _| {
        let mut counts = Entries::default();
        for item in vm.elements(this)? {
            let count = counts.entry(Key::new(&vm.work, item)).or_insert(Value::Int(0));
            if let Value::Int(count) = count {
                *count += 1;
            }
        }
        Ok(Value::hash(counts))
    }),
    method("to_h", 0, 0, |vm, this, args| {
        let mut entries = Entries::default();
        for (at, item) in vm.elements(this)?.into_iter().enumerate() {
            let pair = match args.block {
                Some(block) => vm.yield_one(block, item)?,
                None => item,
            };
            let Value::Array(array) = &pair else {
                let class = crate::classes::class_of(&pair).name();
                let message = match args.block {
                    Some(_) => format!("wrong element type {class} (expected array)"),
                    None => format!("wrong element type {class} at {at} (expected array)"),
                };
                return Err(Raise::type_error(message).into());
            };
            let [key, value] = array.items()[..].to_vec().try_into().map_err(|list: Vec<Value>| {
                Raise::argument(format!("wrong array length at {at} (expected 2, was {})", list.len()))
            })?;
            entries.insert(Key::new(&vm.work, key), value);
        }
        vm.charge(entries.len() * size_of::<Value>())?;
        Ok(Value::hash(entries))
    }),
    method("uniq", 0, 0, |vm, this, args| {
        let list = vm.elements(this)?;
        let Some(block) = args.block else { return vm.list(crate::methods::array::unique(&vm.work, &list)) };
        let mut seen = Keys::default();
        let mut kept = Vec::new();
        for item in list {
            let key = vm.yield_one(block, item.clone())?;
            if seen.insert(Key::new(&vm.work, key)) {
                kept.push(item);
            }
        }
        vm.list(kept)
    }),
    variadic("zip", 0, |vm, this, args| {
        let mut others = Vec::with_capacity(args.len());
        for other in args.list {
            if !crate::methods::responds_to(other, "each") {
                let class = crate::classes::class_of(other).name();
                let message = format!("wrong argument type {class} (must respond to :each)");
                return Err(Raise::type_error(message).into());
            }
            others.push(vm.elements(other)?);
        }
        let mut rows = Vec::new();
        for (index, item) in vm.elements(this)?.into_iter().enumerate() {
            let mut row = vec![item];
            row.extend(others.iter().map(|other| Value::or_nil(other.get(index).cloned())));
            rows.push(vm.list(row)?);
        }
        match args.block {
            Some(block) => {
                for row in rows {
                    vm.yield_one(block, row)?;
                }
                Ok(Value::Nil)
            }
            None => vm.list(rows),
        }
    }),
];

/// Returns the elements in slices. `ends_slice` decides, from what the block returns for two neighbours, whether a slice ends
/// between them.
fn slices(vm: &mut Interpreter<'_>, this: &Value, args: Args<'_>, ends_slice: fn(&Value) -> bool) -> Eval<Value> {
    let Some(block) = args.block else { return Err(Raise::argument("no block given").into()) };
    let mut slices: Vec<Vec<Value>> = Vec::new();
    for item in vm.elements(this)? {
        let last = slices.last().and_then(|slice| slice.last().cloned());
        let ends = match last {
            Some(last) => ends_slice(&vm.call_proc(block, &[last, item.clone()])?),
            None => true,
        };
        match slices.last_mut().filter(|_| !ends) {
            Some(slice) => slice.push(item),
            None => slices.push(vec![item]),
        }
    }
    let slices = Value::array(slices.into_iter().map(Value::array).collect());
    enumerator(&slices, "each", Args { list: &[], block: None })
}

fn positive(size: i128, message: &str) -> Eval<usize> {
    match usize::try_from(size) {
        Ok(size) if size > 0 => Ok(size),
        _ => Err(Raise::argument(message).into()),
    }
}
