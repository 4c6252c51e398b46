//! Questions about small programs. `¦` is the cursor, and not part of the text.

mod completion;
mod edits;
mod fixes;
mod hover;
mod incremental;
mod inlay;
mod navigation;
mod outline;
mod programs;
mod refactor;
mod rename;
mod signature;

use std::path::{Path, PathBuf};

use crate::{Analysis, Analyzer, Workspace};

/// The sample of spec 11 §3.
const SAMPLE: &str = "\
import \"fmt\"
import \"strings\" as str1
# Where the sites live.
$root = \"/srv\"
$ports = {\"blog\" => 80, \"shop\" => 81}
# One site: its directory and its file.
class site($name, $port int) {
\tfile \"${root}/${name}.conf\" {
\t\tstate => $const.res.file.state.exists,
\t\tcontent => fmt.printf(\"port %d\\n\", $port),
\t\tNotify => Svc[\"web\"],
\t}
}
svc \"web\" {
\tstate => \"running\",
}
func double($n) {
\t$n + $n
}
forkv $k, $v in $ports {
\tinclude site($k, double($v)) as s
}
";

/// Where the text of a test is. It need not be on the disk.
fn main_path() -> PathBuf {
    PathBuf::from("/nowhere/main.mcl")
}

/// Takes the cursor out of a text.
fn with_cursor(text: &str) -> (String, u32) {
    let offset = text.find('¦').expect("a cursor") as u32;
    (text.replace('¦', ""), offset)
}

fn analyze(text: &str) -> Analysis {
    let mut workspace = Workspace::new(None);
    workspace.open(main_path(), text);
    Analyzer::default().analyze(&workspace.sources())
}

/// Returns the offset of a line and character of a text, both from 0.
fn at(text: &str, line: usize, character: usize) -> u32 {
    let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
    (start + character) as u32
}

/// Returns ranges as `line:character–line:character`, in bytes.
fn shown(analysis: &Analysis, path: &Path, start: u32, end: u32) -> String {
    let source = analysis.source(path).expect("a file of the program");
    let position = |offset| {
        let position = source.lines.position(&source.text, offset, crate::Encoding::Utf8);
        format!("{}:{}", position.line, position.character)
    };
    format!("{}–{}", position(start), position(end))
}
