//! Tables with names chosen by the user.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{self, Deserialize, Deserializer, MapAccess, Visitor};

/// The entries of a table, in order. A repeated name is refused, because not every format refuses it.
#[derive(Debug)]
pub(super) struct Entries<T>(pub(super) Vec<(String, T)>);

impl<T> Default for Entries<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Entries<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(EntriesVisitor(PhantomData))
    }
}

struct EntriesVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for EntriesVisitor<T> {
    type Value = Entries<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a table of settings by name")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entries<T>, A::Error> {
        let mut entries = Vec::<(String, T)>::new();
        while let Some((name, value)) = map.next_entry::<String, T>()? {
            if entries.iter().any(|(earlier, _)| *earlier == name) {
                return Err(de::Error::custom(format_args!("`{name}` is given twice")));
            }
            entries.push((name, value));
        }
        Ok(Entries(entries))
    }
}
