//! The functions of Puppet itself.

mod catalog;
mod collections;
mod crypto;
mod files;
mod iteration;
mod join;
mod logging;
mod lookup;
mod numbers;
mod order;
mod path;
mod regexps;
mod scanf;
mod strftime;
mod strings;
mod tree;
pub(crate) mod types;
mod unavailable;

pub(crate) use crypto::md5_bytes;
pub(crate) use numbers::decimal;

use crate::function::Function;

/// The table, sorted by name.
pub(crate) static FUNCTIONS: &[&Function] = &[
    &numbers::ABS,
    &logging::ALERT,
    &iteration::ALL,
    &unavailable::ANNOTATE,
    &iteration::ANY,
    &types::ASSERT_TYPE,
    &files::BINARY_FILE,
    &iteration::BREAK,
    &catalog::CALL,
    &strings::CAMELCASE,
    &strings::CAPITALIZE,
    &numbers::CEILING,
    &strings::CHOMP,
    &strings::CHOP,
    &order::COMPARE,
    &catalog::CONTAIN,
    &types::CONVERT_TO,
    &catalog::CREATE_RESOURCES,
    &logging::CRIT,
    &logging::DEBUG,
    &catalog::DEFINED,
    &path::DIG,
    &crypto::DIGEST,
    &strings::DOWNCASE,
    &iteration::EACH,
    &logging::EMERG,
    &collections::EMPTY,
    &files::EPP,
    &logging::ERR,
    &unavailable::EYAML_LOOKUP_KEY,
    &logging::FAIL,
    &files::FILE,
    &iteration::FILTER,
    &files::FIND_FILE,
    &files::FIND_TEMPLATE,
    &collections::FLATTEN,
    &numbers::FLOOR,
    &numbers::FQDN_RAND,
    &unavailable::GENERATE,
    &path::GET,
    &path::GETVAR,
    &iteration::GROUP_BY,
    &lookup::HIERA,
    &lookup::HIERA_ARRAY,
    &lookup::HIERA_HASH,
    &lookup::HIERA_INCLUDE,
    &unavailable::HOCON_DATA,
    &catalog::IMPORT,
    &catalog::INCLUDE,
    &collections::INDEX,
    &logging::INFO,
    &files::INLINE_EPP,
    &files::INLINE_TEMPLATE,
    &join::JOIN,
    &unavailable::JSON_DATA,
    &collections::KEYS,
    &collections::LENGTH,
    &iteration::LEST,
    &lookup::LOOKUP,
    &strings::LSTRIP,
    &iteration::MAP,
    &regexps::MATCH,
    &order::MAX,
    &crypto::MD5,
    &order::MIN,
    &files::MODULE_DIRECTORY,
    &types::NEW,
    &iteration::NEXT,
    &logging::NOTICE,
    &iteration::PARTITION,
    &catalog::REALIZE,
    &iteration::REDUCE,
    &regexps::REGSUBST,
    &catalog::REQUIRE,
    &iteration::RETURN,
    &iteration::REVERSE_EACH,
    &numbers::ROUND,
    &strings::RSTRIP,
    &scanf::SCANF,
    &crypto::SHA1,
    &crypto::SHA256,
    &strings::SHELLQUOTE,
    &collections::SIZE,
    &iteration::SLICE,
    &order::SORT,
    &regexps::SPLIT,
    &strings::SPRINTF,
    &iteration::STEP,
    &strftime::STRFTIME,
    &strings::STRIP,
    &catalog::TAG,
    &catalog::TAGGED,
    &files::TEMPLATE,
    &iteration::THEN,
    &tree::TREE_EACH,
    &types::TYPE,
    &collections::UNIQUE,
    &types::UNWRAP,
    &strings::UPCASE,
    &collections::VALUES,
    &strings::VERSIONCMP,
    &logging::WARNING,
    &iteration::WITH,
    &unavailable::YAML_DATA,
];
