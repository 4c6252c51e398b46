//! The providers, one module per resource kind or family of kinds, and their table.

mod account_databases;
mod archive;
mod authorized_key;
mod cron;
mod cron_job;
mod exec;
mod exit;
mod file;
mod group;
mod hostname;
mod ini_setting;
mod json_edit;
mod kv;
mod line;
mod mount;
mod msg;
mod net;
mod noop;
mod password;
mod pkg;
mod print;
mod registry;
mod schedule;
mod svc;
mod sysctl;
mod test;
mod timer;
mod user;
mod value;

pub use pkg::package_files;
pub(crate) use registry::capture_state;
pub use registry::{Constructor, build, is_refreshable};
