//! The arguments of `#[reachable(...)]`, and the items on which each is allowed.

use crate::syntax::suggest::nearest;

/// The item of an attribute, which decides the allowed arguments.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum AttrPlace {
    Enum,
    Struct,
    Variant,
    Field,
}

impl AttrPlace {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Enum => "an enum",
            Self::Struct => "a struct",
            Self::Variant => "a variant",
            Self::Field => "a field",
        }
    }
}

/// An argument, the items on which it is allowed, and its form.
pub(crate) struct Key {
    pub(crate) name: &'static str,
    places: &'static [AttrPlace],
    written: &'static str,
}

const KEYS: &[Key] = &[
    Key { name: "status", places: &[AttrPlace::Struct, AttrPlace::Variant, AttrPlace::Field], written: "status = 404" },
    Key { name: "transparent", places: &[AttrPlace::Struct, AttrPlace::Variant], written: "transparent" },
    Key { name: "unknown", places: &[AttrPlace::Struct, AttrPlace::Variant], written: "unknown" },
    Key { name: "never", places: &[AttrPlace::Enum, AttrPlace::Struct], written: "never" },
    Key {
        name: "because",
        places: &[AttrPlace::Enum, AttrPlace::Struct, AttrPlace::Variant],
        written: "because = \"...\"",
    },
    Key { name: "crate", places: &[AttrPlace::Enum, AttrPlace::Struct], written: "crate = some::path" },
];

impl Key {
    /// Returns the argument called `name` on this item, or the error.
    pub(crate) fn find(name: &str, place: AttrPlace) -> Result<&'static Self, String> {
        match KEYS.iter().find(|key| key.name == name) {
            Some(key) if key.places.contains(&place) => Ok(key),
            Some(key) => Err(wrong_place(key, place)),
            None => Err(unknown_key(name, place)),
        }
    }

    /// Whether an argument of this name exists on any item.
    pub(crate) fn is_any(name: &str) -> bool {
        KEYS.iter().any(|key| key.name == name)
    }
}

fn allowed(place: AttrPlace) -> Vec<&'static Key> {
    KEYS.iter().filter(|key| key.places.contains(&place)).collect()
}

fn unknown_key(name: &str, place: AttrPlace) -> String {
    let allowed = allowed(place);
    let names: Vec<&str> = allowed.iter().map(|key| key.name).collect();
    if let Some(near) = nearest(name, &names) {
        return format!("`reachable` has no argument `{name}`\nhelp: did you mean `{near}`?");
    }
    let written: Vec<String> = allowed.iter().map(|key| format!("`{}`", written_at(key, place))).collect();
    format!("`reachable` has no argument `{name}`\nhelp: on {} it takes {}", place.name(), written.join(", "))
}

fn wrong_place(key: &Key, place: AttrPlace) -> String {
    let help = match (key.name, place) {
        ("never", AttrPlace::Variant) => {
            "remove the attribute, because an unmarked variant is not an answer anyway".to_owned()
        }
        ("crate", _) => "move it to the type".to_owned(),
        ("status" | "transparent" | "unknown", AttrPlace::Enum) => {
            "move it to the variants to which it applies".to_owned()
        }
        _ => "move it to the variant".to_owned(),
    };
    format!("`{}` has no meaning on {}\nhelp: {help}", key.name, place.name())
}

fn written_at(key: &Key, place: AttrPlace) -> &'static str {
    if key.name == "status" && place == AttrPlace::Field { "status" } else { key.written }
}
