//! A reference interpreter: evaluates a program from scratch by plain recursion. The engine must agree with it.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;

use cranelift_entity::PrimaryMap;
use mcl_artifact::program::{
    CaptureIdx, Closure, Constant, NodeIdx, Op, Operand, ParamIdx, Program, Statement, Template, TemplateId,
};
use mcl_functions::{CallContext, EngineFunction, FunctionError, Implementation};
use mcl_value::Value;
use rustc_hash::FxHashMap;

use crate::outputs::Operands;
use crate::tests::functions;
use crate::tests::test_environment::{TestEnvironment, WAITING};

type Evaluated = Result<Data, Unavailable>;

/// The reason why there is no value.
#[derive(Clone)]
enum Unavailable {
    Failed(FunctionError),
    Pending,
}

#[derive(Clone)]
enum Data {
    Value(Value),
    Function(Rc<Frame>, Closure),
}

#[derive(Clone)]
enum Param {
    Data(Data),
    Operand(Rc<Frame>, Operand),
    Root(Rc<Frame>),
}

struct Frame {
    template: TemplateId,
    parent: Option<Rc<Frame>>,
    captures: PrimaryMap<CaptureIdx, Operand>,
    params: PrimaryMap<ParamIdx, Param>,
    done: RefCell<FxHashMap<NodeIdx, Evaluated>>,
}

pub(super) struct ReferenceInterpreter<'a> {
    program: &'a Program,
    environment: &'a TestEnvironment,
    shown: Vec<Vec<Value>>,
    failures: BTreeSet<String>,
    /// Whether a statement, or a kept value of an existing frame, has no first value yet.
    waiting: Cell<bool>,
}

/// Returns the output of a program for the current inputs, or the sorted messages of its failures.
pub(super) fn outcome(program: &Program, environment: &TestEnvironment) -> Result<Vec<Vec<Value>>, Vec<String>> {
    let mut interpreter = ReferenceInterpreter {
        program,
        environment,
        shown: Vec::new(),
        failures: BTreeSet::new(),
        waiting: Cell::new(false),
    };
    let (template, _) = program.templates.last().expect("a program has a template");
    let top = Frame {
        template,
        parent: None,
        captures: PrimaryMap::new(),
        params: PrimaryMap::new(),
        done: RefCell::default(),
    };
    interpreter.statements(&Rc::new(top));
    if !interpreter.failures.is_empty() {
        Err(interpreter.failures.into_iter().collect())
    } else if interpreter.waiting.get() {
        Err(vec![WAITING.to_owned()])
    } else {
        Ok(interpreter.shown)
    }
}

impl ReferenceInterpreter<'_> {
    fn template(&self, frame: &Frame) -> &Template {
        &self.program.templates[frame.template]
    }

    fn open_frame(&self, closure: &Closure, parent: &Rc<Frame>, params: Vec<Param>) -> Rc<Frame> {
        let frame = Rc::new(Frame {
            template: closure.template,
            parent: Some(Rc::clone(parent)),
            captures: closure.captures.clone(),
            params: params.into(),
            done: RefCell::default(),
        });
        for kept in &self.template(&frame).keep {
            if matches!(self.operand(&frame, *kept), Err(Unavailable::Pending)) {
                self.waiting.set(true);
            }
        }
        frame
    }

    fn statements(&mut self, frame: &Rc<Frame>) {
        let program = self.program;
        for statement in program.templates[frame.template].statements.values() {
            let mut values = Vec::new();
            let mut failed = false;
            for operand in Operands::of(statement) {
                match self.value(frame, operand) {
                    Ok(value) => values.push(value),
                    Err(unavailable) => {
                        match unavailable {
                            Unavailable::Failed(error) => drop(self.failures.insert(error.to_string())),
                            Unavailable::Pending => self.waiting.set(true),
                        }
                        failed = true;
                    }
                }
            }
            if failed {
                continue;
            }
            match statement {
                Statement::Resource(_) | Statement::Edge { .. } => self.shown.push(values),
                Statement::If { then, otherwise, .. } => {
                    let branch = if values[0] == Value::Bool(true) { Some(then) } else { otherwise.as_ref() };
                    if let Some(branch) = branch {
                        self.statements(&self.open_frame(branch, frame, vec![]));
                    }
                }
                Statement::For { body, .. } => {
                    for (i, value) in values[0].as_list().unwrap().iter().enumerate() {
                        let params = [Value::Int(i as i64), value.clone()].map(|v| Param::Data(Data::Value(v)));
                        self.statements(&self.open_frame(body, frame, params.to_vec()));
                    }
                }
                Statement::ForKv { body, .. } => {
                    for (key, value) in values[0].as_map().unwrap().iter() {
                        let params = [key.clone(), value.clone()].map(|v| Param::Data(Data::Value(v)));
                        self.statements(&self.open_frame(body, frame, params.to_vec()));
                    }
                }
            }
        }
    }

    fn value(&self, frame: &Rc<Frame>, operand: Operand) -> Result<Value, Unavailable> {
        match self.operand(frame, operand)? {
            Data::Value(value) => Ok(value),
            Data::Function(..) => panic!("a function is shown"),
        }
    }

    fn root(&self, frame: &Rc<Frame>) -> Evaluated {
        self.operand(frame, self.template(frame).root.unwrap())
    }

    fn operand(&self, frame: &Rc<Frame>, operand: Operand) -> Evaluated {
        match operand {
            Operand::Const(c) => Ok(Data::Value(match &self.program.constants[c] {
                Constant::Int(n) => Value::Int(*n),
                Constant::Str(s) => Value::Str(s.clone()),
                other => panic!("{other:?}"),
            })),
            Operand::Param(p) => match &frame.params[p] {
                Param::Data(data) => Ok(data.clone()),
                Param::Operand(outer, operand) => self.operand(outer, *operand),
                Param::Root(frame) => self.root(frame),
            },
            Operand::Capture(c) => self.operand(frame.parent.as_ref().unwrap(), frame.captures[c]),
            Operand::Node(n) => {
                if let Some(done) = frame.done.borrow().get(&n) {
                    return done.clone();
                }
                let result = self.compute(frame, &self.template(frame).nodes[n].op);
                frame.done.borrow_mut().insert(n, result.clone());
                result
            }
        }
    }

    /// Evaluates all operands. A fatal failure takes precedence over other failures, and any failure over pending.
    fn all(&self, frame: &Rc<Frame>, operands: &[Operand]) -> Result<Vec<Data>, Unavailable> {
        first_failure(operands.iter().map(|o| self.operand(frame, *o)))
    }

    fn compute(&self, frame: &Rc<Frame>, op: &Op) -> Evaluated {
        let lazily = |args: &[Operand]| args.iter().map(|a| Param::Operand(Rc::clone(frame), *a)).collect::<Vec<_>>();
        match op {
            Op::List(items) => Ok(Data::Value(Value::List(values(self.all(frame, items)?).into()))),
            Op::Builtin { function, args } => {
                let import = &self.program.functions[*function];
                let name = &self.program.strings[import.name];
                let args = self.all(frame, args)?;
                match functions::lookup(name).unwrap().implementation {
                    Implementation::Plain(call) => {
                        let cx = CallContext {
                            ty: &import.ty,
                            deploy: None,
                            module_dir: "/",
                            answers: None,
                            sensitive: Cell::default(),
                        };
                        call(&cx, &values(args)).map(Data::Value).map_err(Unavailable::Failed)
                    }
                    Implementation::Streaming(_) => {
                        let Data::Value(Value::Str(key)) = &args[0] else { panic!("a key is a string") };
                        self.environment.get(&key.to_text()).map(Data::Value).ok_or(Unavailable::Pending)
                    }
                    Implementation::Engine(function) => self.iterate(function, args),
                }
            }
            Op::Func { closure, .. } => Ok(Data::Function(Rc::clone(frame), closure.clone())),
            Op::Call { callee, args } => {
                let Data::Function(owner, closure) = self.operand(frame, *callee)? else { panic!("not a function") };
                self.root(&self.open_frame(&closure, &owner, lazily(args)))
            }
            Op::CallKnown { closure, args } => self.root(&self.open_frame(closure, frame, lazily(args))),
            Op::If { condition, then, otherwise } => {
                let Data::Value(Value::Bool(c)) = self.operand(frame, *condition)? else { panic!("not a bool") };
                self.root(&self.open_frame(if c { then } else { otherwise }, frame, vec![]))
            }
            Op::Except { value, fallback } => match self.operand(frame, *value) {
                Err(Unavailable::Failed(error)) if error.is_catchable() => {
                    self.root(&self.open_frame(fallback, frame, vec![]))
                }
                other => other,
            },
            Op::Map(_) | Op::Struct(..) => panic!("not generated"),
        }
    }

    fn iterate(&self, function: EngineFunction, mut args: Vec<Data>) -> Evaluated {
        let Some(Data::Function(owner, closure)) = args.pop() else { panic!("not a function") };
        let apply = |params: Vec<Param>| self.open_frame(&closure, &owner, params);
        let element = |v: &Value| Param::Data(Data::Value(v.clone()));
        let args = values(args);
        let list = |v: &Value| v.as_list().unwrap().to_vec();
        match function {
            EngineFunction::Map => {
                let results = list(&args[0]).iter().map(|v| self.root(&apply(vec![element(v)]))).collect::<Vec<_>>();
                Ok(Data::Value(Value::List(values(first_failure(results.into_iter())?).into())))
            }
            EngineFunction::Zip => {
                let pairs = list(&args[0]).into_iter().zip(list(&args[1]));
                let results = pairs.map(|(a, b)| self.root(&apply(vec![element(&a), element(&b)]))).collect::<Vec<_>>();
                Ok(Data::Value(Value::List(values(first_failure(results.into_iter())?).into())))
            }
            EngineFunction::Filter => {
                let elements = list(&args[0]);
                let results = elements.iter().map(|v| self.root(&apply(vec![element(v)]))).collect::<Vec<_>>();
                let keep = values(first_failure(results.into_iter())?);
                let kept = elements.into_iter().zip(keep).filter(|(_, k)| *k == Value::Bool(true)).map(|(v, _)| v);
                Ok(Data::Value(Value::List(kept.collect())))
            }
            EngineFunction::Reduce => {
                let mut elements = list(args.last().unwrap()).into_iter();
                let first = if args.len() == 2 { Some(args[0].clone()) } else { elements.next() };
                let Some(first) = first else {
                    let problem = "cannot reduce an empty list without an initial value";
                    return Err(Unavailable::Failed(FunctionError::fatal(problem)));
                };
                let mut accumulator = element(&first);
                for v in elements {
                    accumulator = Param::Root(apply(vec![accumulator, element(&v)]));
                }
                match accumulator {
                    Param::Root(frame) => self.root(&frame),
                    Param::Data(data) => Ok(data),
                    Param::Operand(..) => unreachable!(),
                }
            }
        }
    }
}

fn values(data: Vec<Data>) -> Vec<Value> {
    data.into_iter()
        .map(|d| match d {
            Data::Value(value) => value,
            Data::Function(..) => panic!("a function is data here"),
        })
        .collect()
}

fn first_failure(results: impl Iterator<Item = Evaluated>) -> Result<Vec<Data>, Unavailable> {
    let mut good = Vec::new();
    let mut failure: Option<FunctionError> = None;
    let mut pending = false;
    for result in results {
        match result {
            Ok(data) => good.push(data),
            Err(Unavailable::Failed(error)) => {
                if failure.as_ref().is_none_or(|f| f.is_catchable() && !error.is_catchable()) {
                    failure = Some(error);
                }
            }
            Err(Unavailable::Pending) => pending = true,
        }
    }
    match failure {
        Some(failure) => Err(Unavailable::Failed(failure)),
        None if pending => Err(Unavailable::Pending),
        None => Ok(good),
    }
}
