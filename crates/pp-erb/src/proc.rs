//! Blocks, procs and lambdas as values.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use crate::methods::Dispatch;
use crate::syntax::Block;
use crate::value::Value;

/// The local variables of a block or method, and those around it.
#[derive(Debug)]
pub(crate) struct Env {
    pub values: RefCell<Vec<Value>>,
    pub parent: Option<Rc<Env>>,
    /// The number of the running block: where `break` goes.
    pub block: u64,
}

impl Env {
    /// Creates variables that are nil.
    pub fn new(slots: u32, parent: Option<Rc<Env>>, block: u64) -> Rc<Env> {
        Rc::new(Env { values: RefCell::new(vec![Value::Nil; slots as usize]), parent, block })
    }
}

impl Drop for Env {
    /// A long chain must not be dropped recursively.
    fn drop(&mut self) {
        let mut next = self.parent.take();
        while let Some(mut env) = next.and_then(Rc::into_inner) {
            next = env.parent.take();
        }
    }
}

/// A call of a method that runs.
#[derive(Debug)]
pub(crate) struct Activation {
    /// Its number: where `return` goes.
    pub id: u64,
    /// Its block.
    pub block: Option<Rc<Proc>>,
}

/// How code is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProcKind {
    /// Missing arguments are nil, and `return` leaves the method around it.
    Block,
    /// The number of arguments is checked, and `return` leaves only this.
    Lambda,
}

/// What can be called.
#[derive(Debug)]
pub(crate) enum Proc {
    /// Code of the template.
    Code {
        block: Rc<Block>,
        env: Rc<Env>,
        activation: Rc<Activation>,
        /// Where `break` goes.
        id: u64,
        kind: ProcKind,
    },
    /// `&:name`
    Symbol(Rc<Dispatch>),
    /// `method(:name)`
    Method(Rc<Dispatch>),
    /// A block that gets the index of the call, too.
    Indexed { inner: Rc<Proc>, next: Cell<i128> },
    /// A block that gets one object with every call.
    With { inner: Rc<Proc>, object: Value },
    /// A block that keeps what it is called with, and ends the iteration when it has enough.
    Collect { items: RefCell<Vec<Value>>, limit: Option<usize> },
}

impl Proc {
    /// Returns whether the number of arguments is checked and `return` leaves only this.
    pub fn is_lambda(&self) -> bool {
        match self {
            Proc::Code { kind, .. } => *kind == ProcKind::Lambda,
            Proc::Symbol(_) | Proc::Method(_) => true,
            Proc::Indexed { .. } | Proc::With { .. } | Proc::Collect { .. } => false,
        }
    }
}
