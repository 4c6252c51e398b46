//! Functions that depend on more than their arguments, the facts and files: a compilation does not run programs, and gives the
//! same catalog each time.

use crate::function::{Convention, Function};

/// Any number of arguments.
const ANY: Convention = Convention::Counted { min: 0, max: None };

pub(crate) static GLOB: Function = Function::unavailable(
    "glob",
    ANY,
    "Would return the paths of this machine that match patterns.",
    "a catalog does not depend on the directories of the machine that compiles it; give the paths as a fact or as data",
);

pub(crate) static PRY: Function = Function::unavailable(
    "pry",
    ANY,
    "Would start the debugger of Ruby.",
    "there is no Ruby in this compiler; print values with `notice` instead",
);

pub(crate) static STR2SALTEDSHA512: Function = Function::unavailable(
    "str2saltedsha512",
    ANY,
    "Would return the hash of a password for macOS 10.7, with a random salt.",
    "its salt is random, so the catalog would change in each run; use `str2saltedpbkdf2` or `pw_hash` with a fixed salt",
);

pub(crate) static TIME: Function = Function::unavailable(
    "time",
    ANY,
    "Would return the seconds since 1970.",
    "the catalog would change in each run; give the time as a fact",
);

pub(crate) static VALIDATE_AUGEAS: Function = Function::unavailable(
    "validate_augeas",
    ANY,
    "Would check a string with a lens of Augeas.",
    "a compilation runs no programs; check the file where it is written, with `validate_cmd` of its resource",
);

pub(crate) static VALIDATE_CMD: Function = Function::unavailable(
    "validate_cmd",
    ANY,
    "Would check a string with a program.",
    "a compilation runs no programs; check the file where it is written, with `validate_cmd` of its resource",
);

pub(crate) static VALIDATE_X509_RSA_KEY_PAIR: Function = Function::unavailable(
    "validate_x509_rsa_key_pair",
    ANY,
    "Would check that a key belongs to a certificate.",
    "certificates are not read by this compiler; check the files where they are written",
);
