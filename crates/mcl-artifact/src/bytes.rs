//! Byte strings as one block: serde's own implementation for `Vec<u8>` goes through them number by number.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Visitor};

/// For `#[serde(with)]` on a string value.
pub(crate) mod text {
    use mcl_value::Str;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::{Block, Owned};

    pub(crate) fn serialize<S: Serializer>(text: &Str, serializer: S) -> Result<S::Ok, S::Error> {
        Block(text.as_bytes()).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Str, D::Error> {
        Owned::deserialize(deserializer).map(|owned| owned.0.into())
    }
}

/// For `#[serde(with)]` on deployed files.
pub(crate) mod pairs {
    use std::sync::Arc;

    use serde::{Deserialize, Deserializer, Serializer};

    use super::{Block, Owned};
    use crate::program::DeployedFiles;

    pub(crate) fn serialize<S: Serializer>(files: &DeployedFiles, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(files.iter().map(|(name, content)| (name, Block(content.as_bytes()))))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<DeployedFiles, D::Error> {
        let pairs = Vec::<(Arc<str>, Owned)>::deserialize(deserializer)?;
        Ok(Arc::new(pairs.into_iter().map(|(name, content)| (name, content.0.into())).collect()))
    }
}

struct Block<'a>(&'a [u8]);

impl Serialize for Block<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            serializer.serialize_str(&String::from_utf8_lossy(self.0))
        } else {
            serializer.serialize_bytes(self.0)
        }
    }
}

struct Owned(Vec<u8>);

impl<'de> Deserialize<'de> for Owned {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Owned, D::Error> {
        struct BytesVisitor;
        impl Visitor<'_> for BytesVisitor {
            type Value = Owned;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("bytes")
            }

            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Owned, E> {
                Ok(Owned(bytes.to_vec()))
            }

            fn visit_str<E>(self, text: &str) -> Result<Owned, E> {
                Ok(Owned(text.as_bytes().to_vec()))
            }
        }
        deserializer.deserialize_bytes(BytesVisitor)
    }
}
