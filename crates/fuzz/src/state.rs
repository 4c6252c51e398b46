//! Contents of the files in a state directory, and bytes that are almost such contents.

use fastrand::Rng;

/// A file of the state directory that agents read again.
#[derive(Debug)]
pub struct StateFile {
    /// Its path in `engine`.
    pub path: &'static str,
    /// What agents write to it.
    contents: &'static [&'static str],
}

/// The files of the state directory.
pub static FILES: [StateFile; 4] = [
    StateFile {
        path: "refresh",
        contents: &[
            "+\"file\"\t\"/etc/a\"\t\"svc\"\t\"a\"\n+\"file\"\t\"/etc/b\"\t\"exec\"\t\"b\\n\\\"c\"\n",
            "+\"file\"\t\"/a\"\t\"svc\"\t\"a\"\n-\"file\"\t\"/a\"\t\"svc\"\t\"a\"\n",
        ],
    },
    StateFile {
        path: "reversals/file-x",
        contents: &[
            r#"{"kind":"file","name":"/etc/a","params":{"state":"absent"},"sensitive":[]}"#,
            r#"{"kind":"file","name":"/a","params":{"content":"x","mode":"0644","state":"exists"},"sensitive":["content"]}"#,
            r#"{"kind":"net","name":"eth0","params":{"addrs":["10.0.0.1/8"],"state":"up"},"sensitive":[]}"#,
        ],
    },
    // `YQ` is `a`, the name of a resource.
    StateFile {
        path: "shared/value/YQ",
        contents: &[
            r#"{"type":"int","value":7}"#,
            r#"{"type":"[]map{str: float}","value":[{"a":1.5}],"sensitive":true}"#,
            r#"{"type":"struct{a str; b bool}","value":{"a":"x","b":true}}"#,
        ],
    },
    StateFile {
        path: "backups/index",
        contents: &[
            concat!(
                r#"{"id":1,"time_ms":1700000000000,"resource":"file[/a]","action":"replaced","path":"/a","#,
                r#""entries":[]}"#,
                "\n"
            ),
            concat!(
                r#"{"id":1,"time_ms":1,"resource":"file[/a]","action":"removed","path":"/a","entries":[]}"#,
                "\n",
                r#"{"id":18446744073709551615,"time_ms":2,"resource":"","action":"removed","path":"/b","entries":[]}"#,
                "\n"
            ),
        ],
    },
];

/// What is put into contents.
const PIECES: [&str; 17] = [
    "\n", "\t", "\"", "{", "}", "[[[[[[[[", "]", ",", ":", "\\u0000", "\0", "-1", "1e999", "null", "variant", "é", "[]",
];
/// Maximum number of changes of a content.
const MAX_CHANGES: usize = 6;

/// Returns the content of a file with some changes, after a byte with the number of the file.
#[must_use]
pub fn mutated(rng: &mut Rng) -> Vec<u8> {
    let file = rng.usize(..FILES.len());
    let contents = FILES[file].contents;
    let pick = |rng: &mut Rng| contents[rng.usize(..contents.len())].as_bytes();
    let mut content = pick(rng).to_vec();
    for _ in 0..rng.usize(..=MAX_CHANGES) {
        let other = pick(rng);
        change(&mut content, other, rng);
    }
    content.insert(0, u8::try_from(file).unwrap_or_default());
    content
}

fn change(content: &mut Vec<u8>, other: &[u8], rng: &mut Rng) {
    let at = rng.usize(..=content.len());
    let end = (at + rng.usize(..16)).min(content.len());
    match rng.u8(..8) {
        0 => content.truncate(at),
        1 => drop(content.drain(at..end)),
        2 => content[at..end].fill(0),
        3 => content[at..end].iter_mut().for_each(|byte| *byte = rng.u8(..)),
        4 => {
            let from = rng.usize(..other.len());
            let to = (from + rng.usize(1..=32)).min(other.len());
            drop(content.splice(at..end, other[from..to].iter().copied()));
        }
        5 => {
            let again = content[at..end].repeat(rng.usize(..200));
            drop(content.splice(at..at, again));
        }
        _ => {
            let times = if rng.u8(..8) == 0 { rng.usize(..2000) } else { 1 };
            let piece = PIECES[rng.usize(..PIECES.len())].as_bytes().repeat(times);
            drop(content.splice(at..end, piece));
        }
    }
}
