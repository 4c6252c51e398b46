//! Serialises a [`PrimaryMap`] as a plain sequence: the keys are the positions.

use cranelift_entity::{EntityRef, PrimaryMap};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Writes the values in the order of their keys.
///
/// # Errors
/// Those of the serialiser.
pub(crate) fn serialize<K: EntityRef, V: Serialize, S: Serializer>(
    map: &PrimaryMap<K, V>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    map.as_values_slice().serialize(serializer)
}

/// Reads the values in the order of their keys.
///
/// # Errors
/// Those of the deserialiser.
pub(crate) fn deserialize<'de, K: EntityRef, V: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<PrimaryMap<K, V>, D::Error> {
    Vec::deserialize(deserializer).map(PrimaryMap::from)
}
