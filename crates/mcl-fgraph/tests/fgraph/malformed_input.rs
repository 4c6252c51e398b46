//! Artifacts of all stages with random changes and a valid checksum.

use mcl_artifact::ArtifactStage;
use mcl_driver::Payload;
use test_support::{Rng, for_each_seed};

use crate::generate::statements;

const SOURCE: &str = r#"
import "fmt"
$sep = "-"
func tag($x) { $sep + $x }
class c($n, $l) {
	$out = tag($n)
	for $i, $v in $l {
		noop [fmt.printf("%s%d", $v, $i)] {}
	}
}
include c("a", ["x", $hostname]) as one
if $hostname == "box" {
	test [$one.out] {
		int64 => true ?: len($one.out),
		Before => Noop["x0"],
	}
}
"#;

/// Makes header and payload agree again (the layout is that of `mcl_artifact`'s container).
fn seal(bytes: &mut [u8]) {
    let length = (bytes.len() - 48) as u64;
    bytes[32..40].copy_from_slice(&length.to_le_bytes());
    let mut hasher = xxhash_rust::xxh3::Xxh3::new();
    hasher.update(&bytes[..40]);
    hasher.update(&bytes[48..]);
    let checksum = hasher.digest();
    bytes[40..48].copy_from_slice(&checksum.to_le_bytes());
}

fn tokens(source: &str) -> Payload {
    let input = mcl_modules::Input::Text { path: "main.mcl".into(), text: source.into() };
    Payload::Tokens(mcl_modules::load(&input, &mcl_modules::Options::default()).expect("the text is there"))
}

#[test]
fn changed_artifacts_are_refused_or_go_through_the_next_stage() {
    let mut rng = Rng::with_seed(11);
    let mut next = Some(tokens(SOURCE));
    while let Some(payload) = next.filter(|payload| payload.stage() != ArtifactStage::Fgraph) {
        let original = payload.write();
        let mut read = 0;
        for _ in 0..2000 {
            let mut bytes = original.clone();
            for _ in 0..=rng.usize(..2) {
                // Seldom in the sources, which come first.
                let at = bytes.len() - 1 - rng.usize(..(bytes.len() - 48) * 9 / 10);
                bytes[at] = if rng.bool() { rng.u8(..) } else { bytes[at] ^ (1 << rng.usize(..8)) };
            }
            seal(&mut bytes);
            if let Ok(changed) = Payload::read(&bytes) {
                read += 1;
                let _ = changed.next();
            }
        }
        println!("{:?}: {read} read", payload.stage());
        assert!(read > 0, "{:?}", payload.stage());
        next = payload.next().0;
    }
}

/// A count, an index or a tag that is one too small or too large is what a random change seldom makes.
#[test]
fn typed_programs_with_one_changed_byte_are_refused_or_lowered() {
    let source = "$f = func($x) { $x + 1 }\n$g = func($h, $n) { $h($n) }\nnoop [fmt.printf(\"%d\", $f(2))] {}\n\
                  $l = iter.map([1, $g($f, 3),], $f)\ntest \"t\" { int64 => if len($l) > 1 { $f(1) } else { 0 }, }\n";
    let mut payload = tokens(&format!("import \"fmt\"\nimport \"iter\"\n{source}"));
    while payload.stage() != ArtifactStage::Typed {
        payload = payload.next().0.expect("the program is right");
    }
    let original = payload.write();
    assert!(payload.next().0.is_some());
    for at in 48..original.len() {
        for change in [1u8, 255] {
            let mut bytes = original.clone();
            bytes[at] = bytes[at].wrapping_add(change);
            seal(&mut bytes);
            if let Ok(changed) = Payload::read(&bytes) {
                let _ = changed.next();
            }
        }
    }
}

#[test]
fn every_stage_reads_back_what_it_wrote() {
    for_each_seed(100, |rng| {
        let source = statements(rng).join("\n") + "\n";
        let mut next = Some(tokens(&source));
        while let Some(payload) = next {
            let bytes = payload.write();
            let again =
                Payload::read(&bytes).unwrap_or_else(|error| panic!("{:?}: {error:?}\n{source}", payload.stage()));
            assert_eq!(again.write(), bytes, "{:?}\n{source}", payload.stage());
            next = again.next().0;
        }
    });
}
