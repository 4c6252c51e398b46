//! Serialises a table that its own ids index as a plain sequence: the ids are the positions.
//!
//! For fields: `#[serde(with = "mcl_diagnostics::table")]`. Without it, the name of a private field of [`PrimaryMap`] would
//! be part of the JSON of `mclc inspect`.

use cranelift_entity::{EntityRef, PrimaryMap};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Writes the values in the order of their keys.
///
/// # Errors
/// Those of the serialiser.
pub fn serialize<K: EntityRef, V: Serialize, S: Serializer>(
    table: &PrimaryMap<K, V>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    table.as_values_slice().serialize(serializer)
}

/// Reads the values in the order of their keys.
///
/// # Errors
/// Those of the deserialiser.
pub fn deserialize<'de, K: EntityRef, V: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<PrimaryMap<K, V>, D::Error> {
    Vec::deserialize(deserializer).map(PrimaryMap::from)
}

/// The same for a table of tables.
pub mod nested {
    use cranelift_entity::{EntityRef, PrimaryMap};
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    /// Writes the values in the order of their keys.
    ///
    /// # Errors
    /// Those of the serialiser.
    pub fn serialize<K: EntityRef, L: EntityRef, V: Serialize, S: Serializer>(
        table: &PrimaryMap<K, PrimaryMap<L, V>>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(table.values().map(PrimaryMap::as_values_slice))
    }

    /// Reads the values in the order of their keys.
    ///
    /// # Errors
    /// Those of the deserialiser.
    pub fn deserialize<'de, K: EntityRef, L: EntityRef, V: Deserialize<'de>, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<PrimaryMap<K, PrimaryMap<L, V>>, D::Error> {
        let tables: Vec<Vec<V>> = Vec::deserialize(deserializer)?;
        Ok(tables.into_iter().map(PrimaryMap::from).collect())
    }
}
