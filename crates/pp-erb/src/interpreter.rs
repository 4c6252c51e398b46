//! The state of a template that is being rendered.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::convert::from_puppet;
use crate::objects::{Found, Objects};
use crate::proc::{Activation, Env, Proc};
use crate::scope::Scope;
use crate::stop::{Eval, Raise};
use crate::syntax::{Definition, Local};
use crate::value::{Match, Value};
use crate::work::{Budget, Work};

/// How deep methods and blocks may call each other.
const MAX_CALLS: u32 = 3_000;
/// How much work is done before the compilation hears of it.
const REPORT_STEPS: u64 = 1 << 20;

/// A template that is being rendered.
pub(crate) struct Interpreter<'s> {
    pub scope: &'s mut dyn Scope,
    pub objects: Objects,
    pub literals: Rc<[String]>,
    pub work: Work,
    /// The work that the compilation has heard of.
    reported: (u64, u64),
    pub depth: u32,
    /// The instance variables that were used.
    pub instance: FxHashMap<Rc<str>, Value>,
    /// The methods that the template has defined.
    pub methods: FxHashMap<Rc<str>, Rc<Definition>>,
    /// `$~`
    pub last_match: Option<Rc<Match>>,
    pub env: Rc<Env>,
    pub activation: Rc<Activation>,
    /// The number of the next block or method call.
    pub next_id: u64,
}

impl<'s> Interpreter<'s> {
    /// Creates the state before anything was evaluated.
    pub fn new(
        scope: &'s mut dyn Scope,
        objects: &Objects,
        literals: Rc<[String]>,
        slots: u32,
        budget: Budget,
    ) -> Interpreter<'s> {
        Interpreter {
            scope,
            objects: objects.clone(),
            literals,
            work: Work::new(budget),
            reported: (0, 0),
            depth: 0,
            instance: FxHashMap::default(),
            methods: FxHashMap::default(),
            last_match: None,
            env: Env::new(slots, None, 0),
            activation: Rc::new(Activation { id: 0, block: None }),
            next_id: 1,
        }
    }

    /// Counts evaluated expressions and visited elements.
    #[inline]
    pub fn step(&mut self, count: usize) -> Eval<()> {
        let can_go_on = self.work.step(count);
        self.go_on(can_go_on)
    }

    /// Counts bytes of new values.
    #[inline]
    pub fn charge(&mut self, bytes: usize) -> Eval<()> {
        let can_go_on = self.work.charge(bytes);
        self.go_on(can_go_on)
    }

    #[inline]
    fn go_on(&mut self, can_go_on: bool) -> Eval<()> {
        if can_go_on && self.work.steps() - self.reported.0 <= REPORT_STEPS { Ok(()) } else { self.report() }
    }

    /// Tells the compilation of the work that was done.
    #[cold]
    pub fn report(&mut self) -> Eval<()> {
        self.work.check()?;
        let done = (self.work.steps() - self.reported.0, self.work.bytes() - self.reported.1);
        self.reported = (self.work.steps(), self.work.bytes());
        Ok(self.scope.charge(done.0, done.1)?)
    }

    /// Makes a string of a text, and counts its bytes.
    pub fn string(&mut self, text: String) -> Eval {
        self.charge(text.len())?;
        Ok(Value::str(text))
    }

    /// Makes an array, and counts its elements.
    pub fn list(&mut self, items: Vec<Value>) -> Eval {
        self.charge(items.len() * size_of::<Value>())?;
        Ok(Value::array(items))
    }

    /// Runs something inside a call, with stack for it.
    pub fn nested<T>(&mut self, work: impl FnOnce(&mut Self) -> Eval<T>) -> Eval<T> {
        if self.depth >= MAX_CALLS {
            return Err(Raise::new(crate::classes::Class::SystemStackError, "stack level too deep").into());
        }
        self.depth += 1;
        let result = stacker::maybe_grow(STACK_RESERVE, STACK_SEGMENT, || work(self));
        self.depth -= 1;
        result
    }

    /// Returns the number for a block or a call.
    pub fn new_id(&mut self) -> u64 {
        self.next_id += 1;
        self.next_id
    }

    /// Reads a local variable.
    #[inline]
    pub fn local(&self, local: Local) -> Value {
        let mut env = &self.env;
        for _ in 0..local.depth {
            match &env.parent {
                Some(parent) => env = parent,
                None => return Value::Nil,
            }
        }
        env.values.borrow().get(local.slot as usize).cloned().unwrap_or(Value::Nil)
    }

    /// Sets a local variable.
    pub fn set_local(&mut self, local: Local, value: Value) {
        let mut env = &self.env;
        for _ in 0..local.depth {
            match &env.parent {
                Some(parent) => env = parent,
                None => return,
            }
        }
        let old = env.values.borrow_mut().get_mut(local.slot as usize).map(|slot| std::mem::replace(slot, value));
        drop(old);
    }

    /// Reads an instance variable: one that the template has set, or a variable of the scope.
    pub fn instance_variable(&mut self, name: &Rc<str>) -> Value {
        if let Some(known) = self.instance.get(name) {
            return known.clone();
        }
        let Some(found) = self.scope_variable(name) else { return Value::Nil };
        let value = self.object(&found);
        self.instance.insert(Rc::clone(name), value.clone());
        value
    }

    /// Returns whether an instance variable is set. A variable of the scope that is undef is not one.
    pub fn has_instance_variable(&mut self, name: &str) -> bool {
        self.instance.contains_key(name) || self.scope_variable(name).is_some()
    }

    fn scope_variable(&mut self, name: &str) -> Option<Found> {
        self.scope.variable(name).filter(|found| found.value != pp_types::Value::Undef)
    }

    /// Returns the object of a value that was found.
    pub fn object(&mut self, found: &Found) -> Value {
        from_puppet(&found.value, &self.objects.0.origin(found.parameter))
    }

    /// Returns the object of a value that a function has returned.
    pub fn result(&mut self, value: &pp_types::Value) -> Value {
        from_puppet(value, &self.objects.0.origin(None))
    }

    /// Tells the compilation what was changed.
    pub fn write_back(&mut self) -> Eval<()> {
        let changes = self.objects.0.take_changes(&self.work)?;
        self.step(0)?;
        if changes.is_empty() { Ok(()) } else { Ok(self.scope.change(&changes)?) }
    }

    /// Returns the block of the running method.
    pub fn method_block(&self) -> Option<Rc<Proc>> {
        self.activation.block.clone()
    }
}

/// Less stack than this is not enough for the next level of the evaluation.
const STACK_RESERVE: usize = 256 << 10;
/// How much stack is added at once.
const STACK_SEGMENT: usize = 4 << 20;
