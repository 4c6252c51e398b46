//! The container with corrupted, malformed and mutated content.

use std::sync::Arc;

use cranelift_entity::{EntityRef, PrimaryMap};
use mcl_diagnostics::{Diagnostic, FileId, Files, Span};
use mcl_value::{Field, FuncType, Str, Type};
use test_support::{Rng, for_each_seed};

use crate::program::{
    Closure, Constant, EntryKind, EntryStmt, FunctionImport, Half, Node, Op, Operand, Program, ResourceStmt, Statement,
    Template,
};
use crate::{ArtifactStage, FORMAT_VERSION, inspect, read, read_header, read_program, validate, write};

fn id<K: EntityRef>(index: usize) -> K {
    K::new(index)
}

/// A program that uses every part of the format.
fn sample() -> Program {
    let mut files = Files::default();
    files.add("main.mcl", "noop \"a\" {}\n$x = if true { 1 } else { 2 }\n");
    let span = Span::new(FileId::MAIN, 0, 11);
    let point = Type::Struct([Field { name: "x".into(), ty: Type::Int }].into());
    let constant = |n| Operand::Const(id(n));
    let body = Template { label: Some(id(3)), params: 1, root: Some(Operand::Param(id(0))), ..Template::default() };
    let branch = Template { captures: 1, root: Some(Operand::Capture(id(0))), ..Template::default() };
    let each = Template {
        params: 2,
        statements: vec![Statement::Edge {
            halves: vec![
                Half { kind: id(0), name: Operand::Param(id(1)), key: None },
                Half { kind: id(0), name: constant(2), key: Some(id(2)) },
            ],
            span,
        }]
        .into(),
        ..Template::default()
    };
    let node = |op| Node { op, span: Some(span) };
    let branches = |n| Closure { template: id(1), captures: vec![Operand::Node(id(n))].into() };
    let function = Closure { template: id(0), captures: PrimaryMap::new() };
    let top = Template {
        nodes: vec![
            node(Op::List(vec![constant(2), constant(2)])),
            node(Op::Map(vec![(constant(2), constant(1))])),
            node(Op::Struct(id(0), vec![constant(1)])),
            node(Op::Builtin { function: id(0), args: vec![constant(2)] }),
            node(Op::Func { closure: function.clone(), ty: id(1) }),
            node(Op::Call { callee: Operand::Node(id(4)), args: vec![Operand::Node(id(3))] }),
            node(Op::CallKnown { closure: function, args: vec![Operand::Node(id(3))] }),
            node(Op::If { condition: constant(0), then: branches(5), otherwise: branches(6) }),
            node(Op::Except { value: Operand::Node(id(7)), fallback: branches(3) }),
        ]
        .into(),
        keep: vec![Operand::Node(id(3))],
        statements: vec![
            Statement::Resource(Box::new(ResourceStmt {
                kind: id(0),
                name: Operand::Node(id(0)),
                collect: None,
                entries: vec![EntryStmt {
                    condition: Some(constant(0)),
                    kind: EntryKind::Field { name: id(2), value: Operand::Node(id(8)), ty: id(1) },
                    span,
                }],
                span,
            })),
            Statement::For {
                list: Operand::Node(id(0)),
                body: Closure { template: id(2), captures: PrimaryMap::new() },
            },
        ]
        .into(),
        ..Template::default()
    };
    let func = FuncType { args: vec![Field { name: "0".into(), ty: Type::Str }], result: Type::Int };
    Program {
        files,
        strings: vec!["noop".into(), "len".into(), "content".into(), "func f".into(), "/".into()].into(),
        types: vec![point, Type::Func(Arc::new(func.clone()))].into(),
        constants: vec![
            Constant::Bool(true),
            Constant::Int(-7),
            Constant::Str("caf\u{e9}".into()),
            Constant::List([id(1), id(1)].into()),
            Constant::Struct(id(0), [id(1)].into()),
            Constant::Float(1.5f64.to_bits()),
        ]
        .into(),
        functions: vec![FunctionImport { name: id(1), ty: func, module_dir: id(4) }].into(),
        templates: vec![body, branch, each, top].into(),
        deploy: Arc::new(vec![("/files/motd".into(), Str::from("hello"))]),
    }
}

fn artifact() -> Vec<u8> {
    write(ArtifactStage::Fgraph, &sample())
}

fn code(error: &Diagnostic) -> &'static str {
    error.code.name()
}

fn error_of(bytes: &[u8]) -> Diagnostic {
    read_program(bytes).expect_err("the file is corrupted")
}

/// Makes header and payload agree again, so that a change is not found by the outer checks.
fn seal(bytes: &mut [u8]) {
    if bytes.len() < 48 {
        return;
    }
    let length = (bytes.len() - 48) as u64;
    bytes[32..40].copy_from_slice(&length.to_le_bytes());
    let mut hasher = xxhash_rust::xxh3::Xxh3::new();
    hasher.update(&bytes[..40]);
    hasher.update(&bytes[48..]);
    let checksum = hasher.digest();
    bytes[40..48].copy_from_slice(&checksum.to_le_bytes());
}

fn with_payload(payload: &[u8]) -> Vec<u8> {
    let mut bytes = artifact()[..48].to_vec();
    bytes.extend_from_slice(payload);
    seal(&mut bytes);
    bytes
}

#[test]
fn deployed_source_is_in_memory_once() {
    let text = "the source";
    let mut program = sample();
    program.files.add("other.mcl", text);
    let deployed = [("/files/motd", "hello"), ("/other.mcl", text)];
    program.deploy = Arc::new(deployed.map(|(path, content)| (path.into(), Str::from(content))).to_vec());
    let read = read_program(&write(ArtifactStage::Fgraph, &program)).expect("a valid program");
    assert_eq!(read, program);
    let source = &read.files.files.last().expect("a file").1.text;
    assert_eq!(read.deploy[1].1.as_bytes().as_ptr(), source.as_ptr());
}

#[test]
fn a_program_is_read_back_as_it_was_written() {
    let program = sample();
    assert_eq!(validate(&program), Ok(()));
    assert_eq!(read_program(&artifact()).unwrap(), program);
    assert_eq!(artifact(), artifact());
    let header = read_header(&artifact()).unwrap();
    assert_eq!(header.stage, ArtifactStage::Fgraph);
    assert_eq!(header.producer, env!("CARGO_PKG_VERSION"));
}

#[test]
fn source_text_is_foreign_and_the_help_says_how_to_compile_it() {
    let error = error_of(b"import \"fmt\"\nnoop \"a\" {}\n");
    assert_eq!(code(&error), "A0101");
    assert!(error.help.unwrap().contains("mclc build"));
    assert_eq!(code(&error_of(b"")), "A0101");
    assert_eq!(code(&error_of(b"\x7fELF\x02\x01\x01\0")), "A0101");
    assert!(error_of(b"{\"resources\": []}").help.unwrap().contains("--puppet"));
}

#[test]
fn every_truncation_is_called_one() {
    let whole = artifact();
    for length in 1..whole.len() {
        assert_eq!(code(&error_of(&whole[..length])), "A0103", "cut at {length}");
    }
    let longer = [&whole[..], b"\0"].concat();
    assert_eq!(code(&error_of(&longer)), "A0103");
}

#[test]
fn every_changed_bit_is_noticed() {
    let whole = artifact();
    for at in 0..whole.len() {
        for bit in 0..8 {
            let mut changed = whole.clone();
            changed[at] ^= 1 << bit;
            let code = code(&error_of(&changed));
            let expected: &[&str] = match at {
                0..8 => &["A0101"],
                8..12 => &["A0102"],
                32..40 => &["A0103"],
                _ => &["A0104"],
            };
            assert!(expected.contains(&code), "byte {at} bit {bit}: {code}");
        }
    }
}

#[test]
fn a_newer_format_says_so() {
    let mut bytes = artifact();
    bytes[8..12].copy_from_slice(&(FORMAT_VERSION + 1).to_le_bytes());
    seal(&mut bytes);
    let error = error_of(&bytes);
    assert_eq!(code(&error), "A0102");
    assert!(error.message.contains("newer"), "{}", error.message);
}

#[test]
fn another_stage_says_which_command_reads_it() {
    let bytes = write(ArtifactStage::Typed, &7u32);
    let error = error_of(&bytes);
    assert_eq!(code(&error), "A0105");
    assert!(error.message.contains("`typed`") && error.message.contains("`fgraph`"), "{}", error.message);
    assert!(error.help.unwrap().contains("mclc fgraph"));
}

#[test]
fn lengths_that_lie_are_refused_before_anything_is_allocated() {
    // 2^62 elements, or bytes, and then nothing.
    let huge = [253, 0, 0, 0, 0, 0, 0, 0, 0x40];
    for payload in [&huge[..], &[&[1][..], &huge[..]].concat()] {
        assert_eq!(code(&error_of(&with_payload(payload))), "A0106");
    }
    let text = write(ArtifactStage::Tokens, &huge);
    assert!(read::<Vec<String>>(&text, ArtifactStage::Tokens).is_err());
}

#[test]
fn a_type_nested_without_end_is_refused() {
    // `Type::List` is variant 4.
    let mut payload = vec![4; 1_000_000];
    payload.push(0);
    let bytes = write(ArtifactStage::Typed, &());
    let mut bytes = bytes[..48].to_vec();
    bytes.extend_from_slice(&payload);
    seal(&mut bytes);
    let error = read::<Type>(&bytes, ArtifactStage::Typed).expect_err("it is too deep");
    assert_eq!(code(&error), "A0106");
    assert!(error.message.contains("nested"), "{}", error.message);
}

#[test]
fn the_deepest_type_that_can_be_written_can_be_read() {
    let (mut list, mut map, mut strukt, mut func) = (Type::Int, Type::Int, Type::Int, Type::Int);
    for _ in 0..crate::MAX_TYPE_NESTING {
        list = Type::list(list);
    }
    for _ in 0..crate::MAX_TYPE_NESTING / 2 {
        map = Type::map(Type::Str, map);
    }
    for _ in 0..crate::MAX_TYPE_NESTING / 3 {
        strukt = Type::strukt([("x", strukt)]);
    }
    for _ in 0..crate::MAX_TYPE_NESTING / 4 {
        func = Type::Func(Arc::new(FuncType { args: vec![Field { name: "x".into(), ty: func }], result: Type::Int }));
    }
    let ty = Type::strukt([("list", list), ("map", map), ("struct", strukt), ("func", func)]);
    let bytes = write(ArtifactStage::Typed, &ty);
    assert!(read::<Type>(&bytes, ArtifactStage::Typed).unwrap() == ty);
}

#[test]
fn bytes_after_the_payload_are_refused() {
    let payload = [&artifact()[48..], &[0]].concat();
    assert!(error_of(&with_payload(&payload)).message.contains("left over"));
}

/// Changes the sample so that it breaks an invariant, and expects the words in the message.
#[track_caller]
fn refused(words: &str, change: impl FnOnce(&mut Program)) {
    let mut program = sample();
    change(&mut program);
    let error = error_of(&write(ArtifactStage::Fgraph, &program));
    assert_eq!(code(&error), "A0106");
    assert!(error.message.contains(words), "{}", error.message);
}

#[test]
fn broken_invariants_are_refused() {
    refused("constant 99 does not exist", |p| p.templates[id(3)].keep = vec![Operand::Const(id(99))]);
    refused("node 9, which is not earlier", |p| {
        p.templates[id(3)].nodes[id(0)].op = Op::List(vec![Operand::Node(id(9))])
    });
    refused("node 0, which is not earlier", |p| {
        p.templates[id(3)].nodes[id(0)].op = Op::List(vec![Operand::Node(id(0))])
    });
    refused("parameter 1 does not exist", |p| p.templates[id(0)].root = Some(Operand::Param(id(1))));
    refused("capture 3 does not exist", |p| p.templates[id(1)].root = Some(Operand::Capture(id(3))));
    refused("has no value", |p| p.templates[id(1)].root = None);
    refused("has 2 parameters, but is given 1", |p| p.templates[id(0)].params = 2);
    refused("has 1 captures, but is given 0", |p| p.templates[id(2)].captures = 1);
    refused("template 3, which is not earlier", |p| {
        p.templates[id(3)].nodes[id(4)].op =
            Op::Func { closure: Closure { template: id(3), captures: PrimaryMap::new() }, ty: id(1) };
    });
    refused("there is no template", |p| p.templates.clear());
    refused("top level", |p| p.templates[id(3)].params = 1);
    refused("a function of 1 arguments is given 0", |p| {
        p.templates[id(3)].nodes[id(3)].op = Op::Builtin { function: id(0), args: vec![] };
    });
    refused("function 1 does not exist", |p| {
        p.templates[id(3)].nodes[id(3)].op = Op::Builtin { function: id(1), args: vec![] };
    });
    refused("not a struct", |p| p.templates[id(3)].nodes[id(2)].op = Op::Struct(id(1), vec![]));
    refused("a struct of 1 fields is given 0", |p| p.constants[id(4)] = Constant::Struct(id(0), [].into()));
    refused("it contains constant 3, which is not earlier", |p| p.constants[id(3)] = Constant::List([id(3)].into()));
    refused("unknown", |p| p.types[id(0)] = Type::Var(1));
    refused("string 70 does not exist", |p| p.functions[id(0)].name = id(70));
    refused("outside", |p| p.templates[id(3)].nodes[id(0)].span = Some(Span::new(FileId::MAIN, 0, 4000)));
    refused("source file 4", |p| p.templates[id(3)].nodes[id(0)].span = Some(Span::new(FileId::from_u32(4), 0, 0)));
    refused("fewer than two ends", |p| {
        p.templates[id(2)].statements =
            vec![Statement::Edge { halves: vec![], span: Span::new(FileId::MAIN, 0, 0) }].into();
    });
    refused("absolute", |p| Arc::make_mut(&mut p.deploy)[0].0 = "files".into());
    refused("sorted", |p| Arc::make_mut(&mut p.deploy).push(("/a".into(), Str::default())));
}

#[test]
fn constants_that_are_too_deep_or_too_large_are_refused() {
    refused("nested more than", |p| {
        for i in 6..1000 {
            p.constants.push(Constant::List([id(i - 1)].into()));
        }
    });
    refused("parts", |p| {
        for i in 6..60 {
            p.constants.push(Constant::List([id(i - 1); 2].into()));
        }
    });
}

#[test]
fn the_listing_shows_templates_nodes_and_statements() {
    let expected = r#"program: 4 templates, 9 nodes, 6 constants, 1 function, 1 deployed file

template 0: func f, 1 parameter
  value $0

template 1: (no name), 1 capture
  value ^0

template 2: (no name), 2 parameters
  noop[$1] -> noop["café"].content

template 3: (no name)
  %0 = ["café", "café"]                                      # main.mcl:1:1
  %1 = {"café" => -7}                                        # main.mcl:1:1
  %2 = struct{x => -7}                                       # main.mcl:1:1
  %3 = len("café") -> int                                    # main.mcl:1:1
  %4 = function @0: func(0 str) int                          # main.mcl:1:1
  %5 = call %4(%3)                                           # main.mcl:1:1
  %6 = call @0(%3)                                           # main.mcl:1:1
  %7 = if true then @1[%5] else @1[%6]                       # main.mcl:1:1
  %8 = %7 <|> @1[%3]                                         # main.mcl:1:1
  noop %0 {
    content => true ?: %8,
  }
  for %0 @2
  keep %3
"#;
    assert_eq!(inspect::text(&sample()), expected);
}

#[test]
fn the_drawing_has_a_cluster_for_each_template() {
    let dot = inspect::dot(&sample());
    assert_eq!(dot.matches("subgraph cluster_").count(), 4);
    assert!(dot.contains("t3n3 -> t3n5;"), "{dot}");
    assert!(dot.contains("t3n8 -> t1 [style=dashed, lhead=cluster_1];"), "{dot}");
}

fn mutate(rng: &mut Rng, bytes: &mut Vec<u8>) {
    const EVIL: [&[u8]; 8] = [
        &[255; 8],
        &[0; 8],
        &[250],
        &[251, 255, 255],
        &[252, 255, 255, 255, 255],
        &[253, 255, 255, 255, 255, 255, 255, 255, 127],
        &[4; 64],
        &[1, 1, 1, 1],
    ];
    for _ in 0..=rng.usize(..4) {
        // Mostly after the header.
        let from = if rng.usize(..8) == 0 { 0 } else { bytes.len().min(48) };
        let at = from + rng.usize(..(bytes.len() - from).max(1));
        match rng.usize(..6) {
            _ if at >= bytes.len() => bytes.push(rng.u8(..)),
            0 => bytes[at] ^= 1 << rng.usize(..8),
            1 => bytes[at] = rng.u8(..),
            2 => drop(bytes.drain(at..(at + rng.usize(..16)).min(bytes.len()))),
            3 => {
                let piece = EVIL[rng.usize(..EVIL.len())];
                bytes.splice(at..at, piece.iter().copied());
            }
            4 => {
                let piece: Vec<u8> = bytes[at..(at + rng.usize(..40)).min(bytes.len())].to_vec();
                let to = from + rng.usize(..(bytes.len() - from).max(1));
                bytes.splice(to..to, piece);
            }
            _ => bytes.truncate(at.max(1)),
        }
    }
}

/// The most memory that this process ever had, in KiB.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().trim_end_matches("kB").trim().parse().ok()
}

#[test]
fn mutated_artifacts_never_panic_hang_or_eat_memory() {
    let original = artifact();
    let before = peak_memory();
    for_each_seed(20_000, |rng| {
        let mut bytes = original.clone();
        mutate(rng, &mut bytes);
        if rng.usize(..8) != 0 {
            seal(&mut bytes);
        }
        if let Ok(program) = read_program(&bytes) {
            let _ = inspect::text(&program);
        }
    });
    if let (Some(before), Some(after)) = (before, peak_memory()) {
        assert!(after - before < 64 * 1024, "memory grew by {} KiB", after - before);
    }
}
