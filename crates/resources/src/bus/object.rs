//! Objects on a bus.

/// The bus itself, as a service.
pub(crate) const DBUS: Object<'static> =
    Object { service: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus" };

/// An interface of an object of a service.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Object<'a> {
    pub(crate) service: &'static str,
    pub(crate) path: &'a str,
    pub(crate) interface: &'static str,
}
