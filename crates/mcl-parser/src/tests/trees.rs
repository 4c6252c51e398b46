//! The trees of programs.

use cranelift_entity::EntitySet;
use mcl_diagnostics::FileId;
use mcl_lexer::lex;

use crate::ast::{Ast, Entry, Expr, ExprId, ExprList, Stmt, StmtId, StructEntry};
use crate::{interpolate, parse};

/// Renders an expression in prefix form.
fn show(ast: &Ast, id: ExprId) -> String {
    let all = |ids: &[ExprId]| ids.iter().map(|id| show(ast, *id)).collect::<Vec<_>>().join(", ");
    let list = |ids: &ExprList| all(ast.list(*ids));
    match ast.expr(id) {
        Expr::Error => "error".to_owned(),
        Expr::Bool(value) => value.to_string(),
        Expr::Int(value) => value.to_string(),
        Expr::Float(value) => format!("{value:?}"),
        Expr::Str(value) => format!("{:?}", ast.string(*value)),
        Expr::Concat(parts) => format!("concat({})", list(parts)),
        Expr::Interpolated(inner) => format!("str({})", show(ast, *inner)),
        Expr::List(elements) => format!("[{}]", list(elements)),
        Expr::Map(pairs) => {
            let pairs: Vec<_> =
                ast.pairs(*pairs).map(|(k, v)| format!("{} => {}", show(ast, k), show(ast, v))).collect();
            format!("{{{}}}", pairs.join(", "))
        }
        Expr::Struct(literal) => {
            let field = |f: &StructEntry| format!("{} => {}", ast.name(f.name), show(ast, f.value));
            let fields: Vec<_> = literal.fields.iter().map(field).collect();
            format!("struct{{{}}}", fields.join(", "))
        }
        Expr::Func(lambda) => format!("func/{}({})", lambda.params.len(), show(ast, lambda.body)),
        Expr::Call { name, args } => format!("{}({})", ast.name(*name), list(args)),
        Expr::CallVar { name, args } => format!("${}({})", ast.name(*name), list(args)),
        Expr::CallLambda { lambda, args } => format!("call({}; {})", show(ast, *lambda), list(args)),
        Expr::Var(name) => format!("${}", ast.name(*name)),
        Expr::If { condition, then, otherwise } => format!("if({})", all(&[*condition, *then, *otherwise])),
        Expr::Unary { operand, .. } => format!("not({})", show(ast, *operand)),
        Expr::Binary { op, left, right } => format!("{}({})", op.symbol(), all(&[*left, *right])),
        Expr::Index { base, index } => format!("index({})", all(&[*base, *index])),
        Expr::Field { base, field } => format!("field({}, {})", show(ast, *base), ast.name(*field)),
        Expr::FieldOr { base, field, default } => {
            format!("opt({}, {}, {})", show(ast, *base), ast.name(*field), show(ast, *default))
        }
        Expr::Except { value, fallback } => format!("except({})", all(&[*value, *fallback])),
        Expr::Paren(inner) => format!("({})", show(ast, *inner)),
    }
}

/// Returns the tree after interpolation.
fn tree(text: &str) -> Ast {
    let parsed = parse(FileId::MAIN, text, &lex(text));
    assert!(parsed.diagnostics.iter().all(|d| d.code.name().starts_with('W')), "{text}: {:?}", parsed.diagnostics);
    let (ast, errors) = interpolate(parsed.ast);
    assert!(errors.is_empty(), "{text}: {errors:?}");
    ast
}

/// Asserts the tree of an expression.
fn check(value: &str, expected: &str) {
    let ast = tree(&format!("$r = {value}\n"));
    let [id] = ast.body.as_slice() else { panic!("{value}: not one statement") };
    let Stmt::Bind { value: id, .. } = ast.stmt(*id) else { panic!("{value}: no bind") };
    assert_eq!(show(&ast, *id), expected, "{value}");
}

#[test]
fn operators_bind_as_the_spec_says() {
    check("1 + 2 * 3 - 4", "-(+(1, *(2, 3)), 4)");
    check("$a or $b and not $c", "or($a, and($b, not($c)))");
    check("$a + $b in $c and $d", "and(in(+($a, $b), $c), $d)");
    check("not $a == $b", "==(not($a), $b)");
    check("$a->b->c[0]", "index(field(field($a, b), c), 0)");
    check("if $c { 1 } else { 2 } + 3", "+(if($c, 1, 2), 3)");
    check("func($x) { $x }(1) + 2", "+(call(func/1($x); 1), 2)");
    check("5 - -2", "-(5, -2)");
    check("(1 + 2) * 3", "*(+(1, 2), 3)");
    check("lib.f($a.b, $f(1))", "lib.f($a.b, $f(1))");
    check("$ a . b", "$a.b");
}

#[test]
fn fallbacks_chain_and_defaults_belong_to_their_field() {
    check("$a[0] <|> $b[1] <|> 2", "except(except(index($a, 0), index($b, 1)), 2)");
    check("$a <|> $b + $c", "except($a, +($b, $c))");
    check("$a or $b <|> $c", "except(or($a, $b), $c)");
    check("$a->b <|> 1 + 2", "opt($a, b, +(1, 2))");
    check("5 * $a->b <|> 1 or $e", "*(5, opt($a, b, or(1, $e)))");
    check("$a->b <|> $c <|> $d", "except(opt($a, b, $c), $d)");
    check("$x == $a->b <|> $c == $d", "==($x, opt($a, b, ==($c, $d)))");
    check("not $a->b <|> $c", "not(opt($a, b, $c))");
    check("$a->b <|> $c->d <|> $e", "opt($a, b, opt($c, d, $e))");
    check("$a <|> $b->c <|> $d", "except($a, opt($b, c, $d))");
    check("$a->b + $c <|> $d", "except(+(field($a, b), $c), $d)");
    check("$a->b[0] <|> $c", "except(index(field($a, b), 0), $c)");
    check("$a[0]->b <|> $c", "opt(index($a, 0), b, $c)");
    check("($a->b) <|> $c", "except(field($a, b), $c)");
    check("$a->b || $c", "opt($a, b, $c)");
}

#[test]
fn strings_become_parts() {
    check(r#""x${a}y${b}""#, r#"concat("x", $a, "y", $b)"#);
    check(r#""${a}\n""#, r#"concat($a, "\n")"#);
    check(r#""${a}""#, "str($a)");
    check(r#""\${a}""#, r#""${a}""#);
    check(r#""""#, r#""""#);
    check(r#"["${a}", {"k${b}" => ("v")}]"#, r#"[str($a), {concat("k", $b) => "v"}]"#);
}

#[test]
fn classes_with_colons_move_into_their_parents() {
    fn outline(ast: &Ast, block: &[StmtId]) -> String {
        let of = |id: &StmtId| match ast.stmt(*id) {
            Stmt::Class(class) => format!("{}[{}]", ast.name(class.name), outline(ast, &class.body)),
            _ => "_".to_owned(),
        };
        block.iter().map(of).collect::<Vec<_>>().join(" ")
    }
    for (text, expected) in [
        ("class a {}\nclass a:b {}\n", "a[b[]]"),
        ("class a:b:c {}\nclass a:b {}\nclass a {\n\t$x = 1\n}\n$y = 1\n", "a[_ b[c[]]] _"),
        ("class a {}\nclass a:b {}\nclass a:c {}\n", "a[c[] b[]]"),
        ("class x:y {}\n", "x:y[]"),
        ("class a {}\nif true {\n\tclass a:b {}\n}\n", "a[] _"),
    ] {
        let ast = tree(text);
        assert_eq!(outline(&ast, &ast.body), expected, "{text}");
        assert_well_formed(&ast);
    }
}

#[test]
fn nodes_are_small() {
    // Large programs have millions of them.
    assert!(size_of::<Expr>() <= 16);
    assert!(size_of::<Stmt>() <= 24);
    assert!(size_of::<Entry>() <= 32);
}

#[test]
fn spans_are_true() {
    let text = "$a = 1 + foo(2) # c\ntest \"x\" {\n\tb => $c.d ?: \"${e} f\",\n\tBefore => Test[\"y\"],\n}\n";
    let ast = tree(text);
    let slice = |s: mcl_diagnostics::Span| &text[s.start as usize..s.end as usize];
    let exprs: Vec<&str> = ast.exprs.keys().map(|id| slice(ast.expr_span(id))).collect();
    for expected in ["1 + foo(2)", "foo(2)", "$c.d", "${e}", " f", "\"${e} f\"", "\"y\""] {
        assert!(exprs.contains(&expected), "{expected} in {exprs:?}");
    }
    let Stmt::Resource(resource) = ast.stmt(ast.body[1]) else { panic!("no resource") };
    assert_eq!(slice(resource.entries[0].span(&ast)), "b => $c.d ?: \"${e} f\",");
    assert_eq!(slice(resource.entries[0].name_span(&ast)), "b");
    assert_eq!(slice(ast.stmt_span(ast.body[0])), "$a = 1 + foo(2)");
}

/// Asserts the invariants of `crate::ast` that concern statements.
pub fn assert_well_formed(ast: &Ast) {
    assert_eq!(ast.exprs.len(), ast.expr_ranges.len());
    assert_eq!(ast.stmts.len(), ast.stmt_ranges.len());
    assert_eq!(ast.types.len(), ast.type_ranges.len());
    let mut seen = EntitySet::new();
    for (parent, stmt) in &ast.stmts {
        for id in stmt.blocks().flatten() {
            assert!(*id < parent, "children come first");
            assert!(seen.insert(*id), "every statement has one parent");
        }
    }
    for id in &ast.body {
        assert!(seen.insert(*id), "every statement has one parent");
    }
}
