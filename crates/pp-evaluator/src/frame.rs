//! What is running: where the code is, the blocks of the running calls, and parameters that get their defaults.

use std::rc::Rc;
use std::sync::Arc;

use pp_ast::{LambdaId, Tree};
use pp_types::{Size, Type};

use crate::scope::{Local, ScopeId};

/// Where the running code is.
#[derive(Clone, Debug)]
pub(crate) struct Frame<'e> {
    /// The tree of the code.
    pub tree: &'e Tree,
    /// The scope.
    pub scope: ScopeId,
    /// The innermost block, function or template in the scope.
    pub local: Option<Rc<Local>>,
}

/// A block while the call that has it is running.
#[derive(Clone, Debug)]
pub(crate) struct BlockData<'e> {
    /// The tree of its code.
    pub tree: &'e Tree,
    /// The block.
    pub lambda: LambdaId,
    /// The scope in which it was written.
    pub scope: ScopeId,
    /// The block, function or template in which it was written.
    pub local: Option<Rc<Local>>,
    /// The types of its parameters.
    pub types: ParameterTypes,
}

/// The declared types of parameters and of the result.
#[derive(Clone, Debug)]
pub(crate) struct ParameterTypes {
    /// The type of each parameter; `Any` without a declaration. For one that takes all further arguments it is that of each of
    /// them.
    pub types: Rc<[Type]>,
    /// How many arguments the last parameter takes if it takes all further ones.
    pub rest: Size,
    /// The type of the result.
    pub returns: Option<Type>,
}

/// A parameter whose default is being evaluated: it must not use those after it.
#[derive(Clone, Debug)]
pub(crate) struct Pending {
    /// What has the parameters, as messages name it.
    pub subject: Arc<str>,
    /// The parameters that get their defaults in turn.
    pub in_turn: Rc<[Arc<str>]>,
    /// Which of them it is: those after it have no value yet either.
    pub turn: usize,
    /// Where the default is evaluated.
    pub scope: ScopeId,
    /// How many blocks and bodies are around it.
    pub depth: u32,
}

/// The text that a template has rendered.
#[derive(Debug, Default)]
pub(crate) struct Output {
    /// The text.
    pub text: String,
    /// A secret went into it.
    pub is_sensitive: bool,
}

/// A backend of Hiera that runs.
#[derive(Debug)]
pub(crate) struct RunningBackend {
    /// The call.
    pub call: pp_hiera::BackendCall,
    /// It has said that it does not have the key.
    pub is_not_found: bool,
}
