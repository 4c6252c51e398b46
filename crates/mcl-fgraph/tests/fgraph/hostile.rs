//! Typed programs from files that were changed on purpose, with a right checksum.

use mcl_driver::Payload;

use crate::generate::{Random, statements};
use crate::support::{FOLDED, checked, lower};

const SOURCE: &str = r#"
import "fmt"
$sep = "-"
func tag($x) { $sep + $x }
class c($n, $l) {
	$out = tag($n)
	for $i, $v in $l {
		noop fmt.printf("%s%d", $v, $i) {}
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

#[test]
fn changed_typed_programs_are_refused_or_lowered() {
    let source = SOURCE.replace("noop fmt.printf(\"%s%d\", $v, $i) {}", "noop [fmt.printf(\"%s%d\", $v, $i)] {}");
    let original = Payload::Typed(checked(&source)).write();
    assert!(Payload::read(&original).is_ok(), "the original is read back");
    let mut random = Random(7);
    let (mut read, mut lowered) = (0, 0);
    for _ in 0..3000 {
        let mut bytes = original.clone();
        for _ in 0..=random.below(2) {
            // The sources come first; what is behind them is more interesting.
            let at = bytes.len() - 1 - random.below((bytes.len() - 48) * 9 / 10);
            bytes[at] = if random.below(2) == 0 { random.below(256) as u8 } else { bytes[at] ^ (1 << random.below(8)) };
        }
        seal(&mut bytes);
        if let Ok(Payload::Typed(checked)) = Payload::read(&bytes) {
            read += 1;
            lowered += usize::from(lower(&checked, FOLDED).is_ok());
        }
    }
    println!("{read} read, {lowered} lowered");
    assert!(read > lowered, "some contradictions are only found by lowering");
}

#[test]
fn every_stage_reads_back_what_it_wrote() {
    for seed in 0..100 {
        let source = statements(&mut Random(seed)).join("\n") + "\n";
        let input = mcl_modules::Input::Text { path: "main.mcl".into(), text: source.clone().into() };
        let loaded = mcl_modules::load(&input, &mcl_modules::Options::default()).expect("the text is there");
        let mut next = Some(Payload::Tokens(loaded));
        while let Some(payload) = next {
            let bytes = payload.write();
            let again =
                Payload::read(&bytes).unwrap_or_else(|error| panic!("{:?}: {error:?}\n{source}", payload.stage()));
            assert_eq!(again.write(), bytes, "{:?}\n{source}", payload.stage());
            next = again.next().0;
        }
    }
}
