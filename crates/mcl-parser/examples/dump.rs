use std::hash::{Hash, Hasher};
fn main() {
    let with_messages = std::env::var("MSG").is_ok();
    for path in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&path).unwrap();
        one(&path, &text, with_messages);
        if with_messages && std::env::var("MUT").is_err() {
            continue;
        }
        // mutate by whitespace-separated-ish pieces (character classes), independent of the lexer API
        let mut pieces = Vec::new();
        let b = text.as_bytes();
        let mut i = 0;
        while i < b.len() {
            let s = i;
            if b[i].is_ascii_alphanumeric() {
                while i < b.len() && (b[i].is_ascii_alphanumeric() || b[i] == b'_') {
                    i += 1;
                }
            } else if b[i] == b'"' {
                i += 1;
                while i < b.len() && b[i] != b'"' {
                    i += 1;
                }
                i = (i + 1).min(b.len());
            } else {
                i += 1;
                while !text.is_char_boundary(i) {
                    i += 1;
                }
            }
            if !text.is_char_boundary(i) {
                while !text.is_char_boundary(i) {
                    i += 1;
                }
            }
            if !text[s..i].trim().is_empty() || text[s..i].contains('\n') {
                pieces.push((s, i));
            }
        }
        for (n, (s, e)) in pieces.iter().enumerate() {
            let removed = format!("{}{}", &text[..*s], &text[*e..]);
            let doubled = format!("{} {}", &text[..*e], &text[*s..]);
            one(&format!("{path}#{n}r"), &removed, with_messages);
            one(&format!("{path}#{n}d"), &doubled, with_messages);
            if n + 7 < pieces.len() {
                let (s2, e2) = pieces[n + 7];
                let swapped =
                    format!("{}{}{}{}{}", &text[..*s], &text[s2..e2], &text[*e..s2], &text[*s..*e], &text[e2..]);
                one(&format!("{path}#{n}s"), &swapped, with_messages);
            }
        }
    }
}
fn one(name: &str, text: &str, with_messages: bool) {
    let file = mcl_diagnostics::FileId(0);
    let tokens = mcl_lexer::lex(text);
    let mut found = mcl_lexer::lex_diagnostics(file, text, &tokens);
    let parsed = mcl_parser::parse(file, text, &tokens);
    found.extend(parsed.diagnostics.iter().cloned());
    found.extend(mcl_parser::check_ast(&parsed.ast));
    let (ast, errors) = mcl_parser::interpolate(parsed.ast.clone());
    found.extend(errors);
    let mut h = std::hash::DefaultHasher::new();
    format!("{:?}{:?}", parsed.ast, ast).hash(&mut h);
    print!("{name} {:x}", h.finish());
    if with_messages {
        println!();
    }
    for d in &found {
        let span = d.span.map(|s| (s.start, s.end));
        let labels: Vec<_> = d.labels.iter().map(|l| (l.span.start, l.span.end)).collect();
        if with_messages {
            let line = span.map_or("", |s| {
                text[..s.0 as usize]
                    .rsplit('\n')
                    .next()
                    .unwrap()
                    .len()
                    .checked_add(0)
                    .map(|_| {
                        let ls = text[..s.0 as usize].rfind('\n').map_or(0, |i| i + 1);
                        text[ls..].lines().next().unwrap_or("")
                    })
                    .unwrap()
            });
            println!(
                "  {} {:?} {}\n      | {}\n      label {:?} {:?}\n      help {:?}",
                d.code.name(),
                span,
                d.message,
                line,
                d.labels.iter().map(|l| &l.text).collect::<Vec<_>>(),
                labels,
                d.help
            );
        } else {
            print!(" {}{:?}{:?}", d.code.name(), span.unwrap_or_default(), labels);
        }
    }
    if !with_messages {
        println!();
    }
}
