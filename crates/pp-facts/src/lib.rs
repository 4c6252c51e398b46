//! The facts of this machine, gathered without Facter: structured and legacy names, as Facter 4.3 gives them on Linux (spec 07
//! §5.15, spec 09 §10).
//!
//! Facts come in [`GROUPS`], each gathered by one function from a [`Machine`]: files below a root directory, and what system
//! calls say. Nothing here waits for a network or runs a program, and whatever is in the files gives a fact or none.
//! Facts without a value are absent.
//!
//! Not gathered are facts about Ruby (`ruby`, `rubyversion`, …), because Ruby is not used, and custom facts in Ruby.

mod dhcp;
mod distribution;
mod dmi;
mod document;
mod external;
mod fact;
mod groups;
mod host_name;
mod hypervisor;
mod link_mtu;
mod machine;
mod memory;
mod module_facts;
mod mounts;
mod network_state;
mod networking;
mod os;
mod os_release;
mod print;
mod processors;
mod read_network;
mod release;
mod ruby_facts;
mod selinux;
mod ssh;
mod storage;
mod system;
mod virtualization;

pub use document::{Document, DocumentError, parse_document};
pub use external::{
    Executables, External, Printed, Reader, environment_facts, external, external_directories, is_fact_data,
};
pub use fact::{Fact, FactSet};
pub use groups::{Change, GROUPS, Group, gather, gather_groups, refresh};
pub use machine::{Machine, ProcessState, Uname};
pub use module_facts::module_facts;
pub use network_state::{Address, Link, NetworkState, Route};
pub use print::{Format, Selection, json, print};
pub use ruby_facts::{RubyFactFile, ruby_fact_files};
