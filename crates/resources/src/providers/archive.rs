//! `tar`, `gzip` and `deploy:tar`: archives of files (spec 05 §6.28, 6.29, 6.31).
//!
//! Archives are deterministic, so a check needs no stored state: it computes the digest of the archive to write and compares
//! it with the present file. The archive is written to a temporary file, which is then renamed.

mod deploy;
mod gzip;
mod member;
mod output;
mod tar;

pub(super) use deploy::build as build_deploy_tar;
pub(super) use gzip::build as build_gzip;
pub(super) use tar::build as build_tar;
