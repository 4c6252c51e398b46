//! How messages name expressions: as Puppet does.

use pp_ast::{AssignOp, Definition, Expr, ExprId, Tree};

/// Returns the label of an expression, such as `'if' statement` or `Literal Integer`.
pub fn label(tree: &Tree, id: ExprId) -> String {
    let text = match &tree.exprs[id] {
        Expr::Error => "Syntax Error",
        Expr::Nop => "Nop Expression",
        Expr::Undef => "'undef' expression",
        Expr::Default => "'default' expression",
        Expr::Boolean(_) => "Boolean",
        Expr::Integer(..) => "Literal Integer",
        Expr::Float(_) => "Literal Float",
        Expr::String(_) => "String",
        Expr::Regexp(_) => "Regular Expression",
        Expr::Name(_) => "Name",
        Expr::TypeName(_) => "Type-Name",
        Expr::Reserved(word) => return format!("Reserved Word '{}'", tree.str(*word)),
        Expr::Variable(_) => "Variable",
        Expr::Interpolation(_) => "Double Quoted String",
        Expr::Text(_) => "Text Expression",
        Expr::Heredoc { syntax, .. } => {
            let syntax = syntax.map_or("", |syntax| tree.str(syntax));
            return format!("'@({syntax})' expression");
        }
        Expr::Array(_) => "Array Expression",
        Expr::Hash(_) => "Hash Expression",
        Expr::Parenthesized(_) => "Parenthesized Expression",
        Expr::Not(_) => "'not' expression",
        Expr::Negate(_) => "Unary Minus",
        Expr::Unfold(_) => "Unfold",
        Expr::Binary(op, ..) => return format!("'{}' expression", op.symbol()),
        Expr::Assign(AssignOp::Assign, ..) => "'=' expression",
        Expr::Assign(op, ..) => return format!("'{}' expression", op.symbol()),
        Expr::Arrow(op, ..) => return format!("'{}' expression", op.symbol()),
        Expr::Access(..) => "'[]' expression",
        Expr::Call(_) => "Function Call",
        Expr::MethodCall(_) => "Method call",
        Expr::Lambda(_) => "Lambda",
        Expr::If(..) => "'if' statement",
        Expr::Unless(..) => "'unless' Statement",
        Expr::Case(..) => "'case' statement",
        Expr::Selector(..) => "Selector Expression",
        Expr::Block(_) => "Block Expression",
        Expr::Resource(_) => "Resource Statement",
        Expr::ResourceDefaults(_) => "Resource Defaults Expression",
        Expr::ResourceOverride(_) => "Resource Override",
        Expr::Collector(_) => "Virtual Query",
        Expr::Definition(definition) => definition_label(&tree.definitions[*definition]),
        Expr::Epp { .. } => "Epp Template",
        Expr::RenderString(_) => "Epp Text",
        Expr::RenderExpr(_) => "Epp Interpolated Expression",
    };
    text.to_owned()
}

/// Returns the label of a definition.
pub fn definition_label(definition: &Definition) -> &'static str {
    match definition {
        Definition::Class(_) => "Host Class Definition",
        Definition::Define(_) => "'define' expression",
        Definition::Node(_) => "Node Definition",
        Definition::Function(_) => "Function Definition",
        Definition::TypeAlias(_) => "Type Alias",
    }
}

/// Returns a label with its article.
pub fn with_article(label: &str) -> String {
    let first = label.trim_start_matches('\'').chars().next().unwrap_or('x');
    let is_vowel = matches!(first, 'a' | 'e' | 'i' | 'o' | 'u' | 'A' | 'E' | 'I' | 'O' | 'U');
    format!("{} {label}", if is_vowel { "an" } else { "a" })
}

/// Returns a label with its article, at the start of a sentence.
pub fn with_capital_article(label: &str) -> String {
    let text = with_article(label);
    format!("A{}", &text[1..])
}
