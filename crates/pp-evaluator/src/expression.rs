//! Expressions: dispatch, literals, lists, blocks (spec 07 §5.5).

mod access;
mod assignment;
mod attribute_access;
mod conditional;
mod matching;
mod operator;
mod text;

use pp_ast::{Expr, ExprId, ExprList, StrId};
use pp_types::{Error, ErrorKind, Hash, Regexp, Value};

use crate::evaluator::Evaluator;
use crate::stack::{STACK_RESERVE, STACK_SEGMENT};
use crate::stop::Eval;

impl<'e> Evaluator<'e> {
    /// Evaluates an expression of the running code.
    pub(crate) fn eval(&mut self, id: ExprId) -> Eval {
        self.steps += 1;
        if self.steps > self.options.budget.steps {
            self.spend(0, 0).map_err(|error| self.fault(id, error))?;
        }
        let tree = self.frame.tree;
        match &tree.exprs[id] {
            Expr::Nop | Expr::Undef => Ok(Value::Undef),
            Expr::Default => Ok(Value::Default),
            Expr::Boolean(value) => Ok(Value::Boolean(*value)),
            Expr::Integer(value, _) => Ok(Value::Integer(*value)),
            Expr::Float(value) => Ok(Value::from(*value)),
            Expr::String(text) | Expr::Name(text) => Ok(Value::String(tree.str(*text).clone())),
            Expr::Regexp(source) => Ok(Value::Regexp(self.regexp(*source))),
            Expr::Variable(name) => self.eval_variable(id, tree.str(*name)),
            Expr::TypeName(name) => self.eval_type_name(id, tree.str(*name)),
            // Everything else can contain expressions.
            _ => stacker::maybe_grow(STACK_RESERVE, STACK_SEGMENT, || self.eval_compound(id)),
        }
    }

    fn eval_compound(&mut self, id: ExprId) -> Eval {
        let tree = self.frame.tree;
        match &tree.exprs[id] {
            Expr::Interpolation(segments) => self.eval_interpolation(id, *segments),
            Expr::Text(inner) | Expr::Parenthesized(inner) => self.eval(*inner),
            Expr::Heredoc { text, .. } => self.eval(*text),
            Expr::Array(elements) => {
                let elements = self.eval_list(*elements)?;
                self.made(id, Value::array(elements))
            }
            Expr::Hash(entries) => {
                let hash = self.eval_hash(*entries)?;
                self.made(id, hash)
            }
            Expr::Not(operand) => Ok(Value::Boolean(!self.eval(*operand)?.is_true())),
            Expr::Negate(operand) => self.eval_negate(id, *operand),
            Expr::Unfold(operand) => {
                let value = self.eval(*operand)?;
                Ok(Value::array(self.unfold(*operand, value)?))
            }
            Expr::Binary(op, left, right) => self.eval_binary(id, *op, *left, *right),
            Expr::Assign(_, target, value) => self.eval_assignment(*target, *value),
            Expr::Arrow(op, left, right) => self.eval_arrow(*op, *left, *right),
            Expr::Access(target, keys) => self.eval_access(id, *target, *keys),
            Expr::Call(call) => self.eval_call(id, *call),
            Expr::MethodCall(call) => self.eval_method_call(id, *call),
            Expr::If(test, then, otherwise) => self.eval_if(*test, *then, *otherwise),
            Expr::Unless(test, then, otherwise) => self.eval_if(*test, *otherwise, *then),
            Expr::Case(test, options) => self.eval_case(*test, options),
            Expr::Selector(test, entries) => self.eval_selector(*test, entries),
            Expr::Block(statements) => self.eval_block(*statements),
            Expr::Resource(resource) => self.eval_resource(id, *resource),
            Expr::ResourceDefaults(defaults) => self.eval_defaults(id, *defaults),
            Expr::ResourceOverride(change) => self.eval_override(id, *change),
            Expr::Collector(collector) => self.eval_collector(id, *collector),
            // Definitions were collected before; lambdas are evaluated with the call that they belong to.
            Expr::Definition(_) | Expr::Lambda(_) => Ok(Value::Undef),
            Expr::Epp { body, .. } => self.eval(*body),
            Expr::RenderString(text) => self.render(tree.str(*text), id),
            Expr::RenderExpr(inner) => self.eval_render(*inner),
            // Literals, which `eval` has taken; and what the parser and validation have reported.
            Expr::Error | Expr::Reserved(_) => Err(self.error(id, "this expression was rejected by the parser")),
            Expr::Nop
            | Expr::Undef
            | Expr::Default
            | Expr::Boolean(_)
            | Expr::Integer(..)
            | Expr::Float(_)
            | Expr::String(_)
            | Expr::Name(_)
            | Expr::Regexp(_)
            | Expr::Variable(_)
            | Expr::TypeName(_) => self.eval(id),
        }
    }

    /// Evaluates statements; the value is that of the last one.
    pub(crate) fn eval_block(&mut self, statements: ExprList) -> Eval {
        let mut value = Value::Undef;
        for statement in self.frame.tree.list(statements) {
            value = self.eval(*statement)?;
        }
        Ok(value)
    }

    /// Evaluates elements or arguments, of which `*list` contributes several.
    pub(crate) fn eval_list(&mut self, elements: ExprList) -> Eval<Vec<Value>> {
        let tree = self.frame.tree;
        let mut values = Vec::with_capacity(elements.len());
        for element in tree.list(elements) {
            match &tree.exprs[*element] {
                Expr::Unfold(inner) => {
                    let value = self.eval(*inner)?;
                    values.extend(self.unfold(*inner, value)?);
                }
                _ => values.push(self.eval(*element)?),
            }
        }
        Ok(values)
    }

    /// Returns the elements of `*value`: those of an array, the pairs of a hash, else the value itself.
    pub(crate) fn unfold(&mut self, id: ExprId, value: Value) -> Eval<Vec<Value>> {
        let length = match &value {
            Value::Array(elements) => elements.len(),
            Value::Hash(entries) => entries.len(),
            _ => 0,
        };
        self.charge_elements(id, length)?;
        let values = match value {
            Value::Array(elements) => elements.to_vec(),
            Value::Hash(entries) => {
                entries.iter().map(|(key, value)| Value::array(vec![key.clone(), value.clone()])).collect()
            }
            Value::Undef => Vec::new(),
            Value::Iterator(iterator) => iterator.all().to_vec(),
            other => vec![other],
        };
        Ok(values)
    }

    fn eval_hash(&mut self, entries: ExprList) -> Eval {
        let tree = self.frame.tree;
        let list = tree.list(entries);
        let mut hash = Hash::with_capacity_and_hasher(list.len() / 2, Default::default());
        for pair in list.chunks_exact(2) {
            let key = self.eval(pair[0])?;
            let value = self.eval(pair[1])?;
            hash.insert(key, value);
        }
        Ok(Value::hash(hash))
    }

    /// Returns a regular expression. Equal ones are compiled once.
    fn regexp(&mut self, source: StrId) -> Regexp {
        let source = self.frame.tree.str(source);
        if let Some(known) = self.regexps.get(source) {
            return known.clone();
        }
        let regexp = Regexp::new(source.clone());
        self.regexps.insert(source.clone(), regexp.clone());
        regexp
    }

    /// Charges the elements of a new list.
    pub(crate) fn charge_elements(&mut self, id: ExprId, elements: usize) -> Eval<()> {
        let bytes = elements.saturating_mul(size_of::<Value>()) as u64;
        self.spend(elements as u64, bytes).map_err(|error| self.fault(id, error))
    }

    /// Charges the bytes of a new string.
    pub(crate) fn charge_bytes(&mut self, id: ExprId, bytes: usize) -> Eval<()> {
        self.spend(0, bytes as u64).map_err(|error: Error| {
            debug_assert_eq!(error.kind, ErrorKind::Limit);
            self.fault(id, error)
        })
    }
}
