//! `mgmt-rt facts`: prints the facts of this machine as `facter` does.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use pp_facts::{
    Executables, External, FactSet, Format, Machine, Reader, RubyFactFile, Selection, environment_facts, external,
    external_directories, gather, gather_groups, module_facts, print, ruby_fact_files,
};

use crate::completions;

#[derive(clap::Args)]
pub struct Args {
    /// The facts to print, with dots for what is in structured facts [default: all]
    #[arg(value_name = "NAME", add = completions::facts())]
    names: Vec<String>,
    /// Print JSON
    #[arg(short, long)]
    json: bool,
    /// Print YAML
    #[arg(short, long, conflicts_with = "json")]
    yaml: bool,
    /// Print the facts with legacy names, too, if all facts are printed
    #[arg(long)]
    show_legacy: bool,
    /// A directory of external facts, in place of those that `facter` reads
    #[arg(long, value_name = "DIR")]
    external_dir: Vec<PathBuf>,
    /// Read no external facts
    #[arg(long)]
    no_external_facts: bool,
    /// Directories of Puppet modules, separated by `:`; facts that modules define are printed as far as they are known without
    /// Ruby, and those that are not are named on standard error
    #[arg(long, aliases = ["puppet-modulepath", "modulepath"], value_name = "DIRS")]
    puppet_module_path: Option<OsString>,
    /// Fail if a fact does not exist
    #[arg(long)]
    strict: bool,
}

/// Runs the command.
pub fn run(args: &Args) -> ExitCode {
    let facts = gather_all(args);
    let mut missing = false;
    let names: BTreeSet<&str> = args.names.iter().map(String::as_str).collect();
    let shown: Vec<_> = if names.is_empty() {
        let all = facts.iter().filter(|(_, fact)| args.show_legacy || !fact.legacy);
        all.map(|(name, fact)| (name, Some(fact.value.clone()))).collect()
    } else {
        names.iter().map(|name| (*name, facts.find(name))).collect()
    };
    for (name, _) in shown.iter().filter(|(_, value)| value.is_none() && args.strict) {
        eprintln!("mgmt-rt: fact \"{name}\" does not exist");
        missing = true;
    }
    let format = match (args.json, args.yaml) {
        (true, _) => Format::Json,
        (_, true) => Format::Yaml,
        (false, false) => Format::Hash,
    };
    let selection = if names.is_empty() { Selection::All } else { Selection::Named };
    let text = print(&shown, format, selection);
    match std::io::stdout().lock().write_all(text.as_bytes()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            eprintln!("mgmt-rt: cannot write the facts: {error}");
            ExitCode::FAILURE
        }
        _ if missing => ExitCode::FAILURE,
        _ => ExitCode::SUCCESS,
    }
}

/// Gathers the facts that the names need, in the order of `facter`: external facts replace those of the machine.
fn gather_all(args: &Args) -> FactSet {
    let machine = Machine::local();
    let modules: Vec<PathBuf> = args.puppet_module_path.iter().flat_map(std::env::split_paths).collect();
    // Facts of modules follow from any others.
    let mut facts = if args.names.is_empty() || !modules.is_empty() {
        gather(&machine)
    } else {
        let first = |name: &str| name.split('.').next().unwrap_or_default().to_owned();
        gather_groups(&machine, |group| args.names.iter().any(|name| group.may_have(&first(name))))
    };
    let defines =
        |module: &str, file: &str| modules.iter().any(|path| path.join(module).join("lib/facter").join(file).is_file());
    let of_modules = module_facts(&machine, &facts, &defines);
    facts.extend(of_modules);
    let mut directories = match args.external_dir.as_slice() {
        [] => external_directories(&machine.process),
        directories => directories.to_vec(),
    };
    directories.extend(modules.iter().flat_map(|path| facts_directories(path)));
    if !args.no_external_facts {
        let reader =
            Reader { executables: Executables::Run(&runtime::run_fact_program), refuse: &runtime::why_unprotected };
        let found = external(&directories, reader, &External::default());
        for warning in &found.warnings {
            eprintln!("mgmt-rt: warning: {warning}");
        }
        facts.extend(found.facts());
    }
    facts.extend(environment_facts());
    let is_missing = |name: &str| {
        facts.get(name).is_none() && (args.names.is_empty() || args.names.iter().any(|wanted| wanted == name))
    };
    note_ruby_facts(&modules, is_missing, args.names.is_empty());
    facts
}

/// Returns the directories of external facts of the modules in a directory.
fn facts_directories(modules: &Path) -> Vec<PathBuf> {
    let modules = modules.read_dir().into_iter().flatten().flatten();
    let mut directories: Vec<PathBuf> =
        modules.map(|module| module.path().join("facts.d")).filter(|directory| directory.is_dir()).collect();
    directories.sort_unstable();
    directories
}

/// Says which of the missing facts the modules define in Ruby, and where; with `unread`, also which files do not show the names of
/// theirs.
fn note_ruby_facts(modules: &[PathBuf], is_missing: impl Fn(&str) -> bool, unread: bool) {
    let directories = modules.iter().filter_map(|path| path.read_dir().ok()).flatten().flatten();
    let modules: BTreeMap<String, PathBuf> =
        directories.map(|entry| (entry.file_name().to_string_lossy().into_owned(), entry.path())).collect();
    for (module, directory) in modules {
        for RubyFactFile { path, facts } in ruby_fact_files(&module, &directory) {
            let shows_names = !facts.is_empty();
            let missing: Vec<&str> = facts.iter().map(String::as_str).filter(|name| is_missing(name)).collect();
            match missing.as_slice() {
                [] if shows_names || !unread => {}
                [] => eprintln!("mgmt-rt: note: {module}/{path} may define facts in Ruby, which are missing"),
                [name] => eprintln!("mgmt-rt: note: {name} is missing: {module}/{path} defines it in Ruby"),
                names => {
                    let names = names.join(", ");
                    eprintln!("mgmt-rt: note: {names} are missing: {module}/{path} defines them in Ruby");
                }
            }
        }
    }
}
