//! Why the evaluation of an expression ends without a value.

use mcl_diagnostics::{Code, Span};
use pp_types::{Error, ErrorKind, Value};

/// The result of evaluating something.
pub(crate) type Eval<T = Value> = Result<T, Stop>;

/// An error, or a jump out of blocks and bodies.
#[derive(Debug)]
pub(crate) enum Stop {
    /// An error.
    Fault(Box<Fault>),
    /// `break`, `next` or `return`.
    Jump(Box<Jump>),
}

/// A jump that has not reached its target.
#[derive(Debug)]
pub(crate) struct Jump {
    /// Where it goes.
    pub kind: JumpKind,
    /// The value that it carries.
    pub value: Value,
    /// The call that started it.
    pub span: Option<Span>,
}

/// What a jump leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JumpKind {
    /// The innermost iteration.
    Break,
    /// The innermost block.
    Next,
    /// The innermost function, class or define.
    Return,
}

impl JumpKind {
    /// Returns the name of the function that jumps like this.
    pub(crate) fn name(self) -> &'static str {
        match self {
            JumpKind::Break => "break",
            JumpKind::Next => "next",
            JumpKind::Return => "return",
        }
    }
}

/// An error with its location and the calls that led to it.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    /// What is wrong.
    pub error: Error,
    /// The diagnostic code, if it does not follow from the kind of the error.
    pub code: Option<Code>,
    /// Where: the innermost location that is known.
    pub span: Option<Span>,
    /// What led to it, innermost first.
    pub trace: Vec<(Span, String)>,
    /// An earlier error may be the cause: this one is not reported.
    pub is_consequence: bool,
}

impl Fault {
    /// Creates a fault from its error and location.
    pub(crate) fn new(error: Error, span: Option<Span>) -> Fault {
        Fault { error, code: None, span, trace: Vec::new(), is_consequence: false }
    }

    /// Adds what led to the error.
    pub(crate) fn trace(&mut self, span: Option<Span>, text: impl Into<String>) {
        // Deep recursion needs no more than its innermost calls.
        if let Some(span) = span.filter(|_| self.trace.len() < MAX_TRACE) {
            self.trace.push((span, text.into()));
        }
    }
}

impl Stop {
    /// Creates an error with a location.
    pub(crate) fn at(span: Span, error: Error) -> Stop {
        Stop::Fault(Box::new(Fault::new(error, Some(span))))
    }

    /// Creates an error of the general kind with a location.
    pub(crate) fn message(span: Span, message: impl Into<String>) -> Stop {
        Stop::at(span, Error::new(ErrorKind::Evaluation, message))
    }

    /// Returns the error; a jump that nothing has caught is one.
    pub(crate) fn into_fault(self) -> Fault {
        match self {
            Stop::Fault(fault) => *fault,
            Stop::Jump(jump) => illegal_jump_fault(&jump),
        }
    }

    /// Sets the diagnostic code of an error.
    pub(crate) fn code(mut self, code: Code) -> Stop {
        if let Stop::Fault(fault) = &mut self {
            fault.code = Some(code);
        }
        self
    }

    /// Sets the help of an error.
    pub(crate) fn help(mut self, help: Option<String>) -> Stop {
        if let Stop::Fault(fault) = &mut self
            && help.is_some()
        {
            fault.error.help = help;
        }
        self
    }

    /// Makes the location of an error a label, so that the error gets that of the use of what it is in.
    pub(crate) fn at_use(mut self, label: &str) -> Stop {
        if let Stop::Fault(fault) = &mut self {
            let span = fault.span.take();
            fault.trace(span, label);
        }
        self
    }

    /// Adds what led to an error.
    pub(crate) fn trace(mut self, span: Option<Span>, text: impl Into<String>) -> Stop {
        if let Stop::Fault(fault) = &mut self {
            fault.trace(span, text);
        }
        self
    }
}

const MAX_TRACE: usize = 8;

/// An error that gets the location of the call that it happens in.
pub(crate) fn unlocated(error: Error) -> Stop {
    Stop::Fault(Box::new(Fault::new(error, None)))
}

/// Gives an error a location, if it has none.
pub(crate) fn located(mut stop: Stop, span: Option<Span>) -> Stop {
    if let Stop::Fault(fault) = &mut stop
        && fault.span.is_none()
    {
        fault.span = span;
    }
    stop
}

/// A jump that has nothing to leave.
pub(crate) fn illegal_jump(jump: &Jump) -> Stop {
    Stop::Fault(Box::new(illegal_jump_fault(jump)))
}

fn illegal_jump_fault(jump: &Jump) -> Fault {
    let name = jump.kind.name();
    let help = match jump.kind {
        JumpKind::Break => "`break` ends an iteration: use it in the block of `each`, `map` and the like",
        JumpKind::Next => "`next` ends the block of a call",
        JumpKind::Return => "`return` ends a function, or the body of a class or define",
    };
    let error = Error::new(ErrorKind::Evaluation, format!("{name}() from context where this is illegal")).help(help);
    Fault { code: Some(Code::P0509), ..Fault::new(error, jump.span) }
}
