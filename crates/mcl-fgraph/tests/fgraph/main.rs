//! tmp
use mcl_driver::Payload;
#[test]
fn tmp() {
    for source in [
        "noop \"a\" {}\n$x = \"b\"\nnoop [$x, $x] {}",
        "func f($a) { [$a] }\nnoop f(\"x\") {}\n$c = $hostname\nclass k($p) { noop \"k${p}\" {} \n $z = $p }\ninclude k($c) as q\nnoop $q.z {}\nfor $i, $v in [\"a\", $hostname] { noop $v {} }\n$n = [$hostname,]\nfor $i, $v in $n { noop \"n${v}\" {}\n if $v == \"x\" { noop \"${c}\" {} } }",
    ] {
        let input = mcl_modules::Input::Text { path: "main.mcl".into(), text: source.into() };
        let loaded = mcl_modules::load(&input, &mcl_modules::Options::default()).unwrap();
        let mut payload = Payload::Tokens(loaded);
        loop {
            if let Payload::Scoped(resolved) = payload {
                let typed = mcl_types::Typed { scoped: resolved.scoped, ..Default::default() };
                for fold in [true, false] {
                    let program = mcl_fgraph::lower(&typed, &resolved.loaded, mcl_fgraph::Options { fold }).unwrap();
                    println!("{}", mcl_artifact::inspect::text(&program));
                }
                break;
            }
            let (next, diagnostics) = payload.next();
            assert_eq!(diagnostics, vec![]);
            payload = next.unwrap();
        }
    }
}
