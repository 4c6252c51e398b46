//! `http:server` with its children, and `http:client` (spec 08 §2).

use crate::syntax;
use crate::validate::{Params, ValidationError};
use crate::{Check, Field, Repr, ResourceKind, SendField, Traits};

const SERVER_NAME: Field = Field::new("server", "str", "The name of the `http:server` to belong to; any when empty.");

pub(super) const SERVER: ResourceKind = ResourceKind {
    name: "http:server",
    doc: "A small HTTP server for its children and, if wanted, a directory.",
    fields: &[
        Field::new("address", "str", "`HOST:PORT` to listen on; the host is empty or an IP address.").default_name(),
        Field::new("timeout", "int", "Seconds; the default of the other timeouts.").optional().repr(Repr::Uint64),
        Field::new("read_timeout", "int", "Seconds that a whole request may take; 0 for no limit.")
            .optional()
            .default("timeout")
            .repr(Repr::Uint64),
        Field::new("write_timeout", "int", "Seconds that a reply may take; 0 for no limit.")
            .optional()
            .default("timeout")
            .repr(Repr::Uint64),
        Field::new("shutdown_timeout", "int", "Seconds to wait for running replies at the end; 0 for no limit.")
            .optional()
            .default("timeout")
            .repr(Repr::Uint64),
        Field::new("root", "str", "A directory to serve: absolute, with a final `/`.").check(Check::AbsoluteDirectory),
    ],
    sends: &[],
    traits: Traits { autoedge: true, autogroup: true, ..Traits::NONE },
    validate: |p| validate_listener(p, false),
};

/// The address that a server kind listens on.
pub(super) fn validate_listener(p: &Params<'_>, only_ipv4: bool) -> Result<(), ValidationError> {
    let address = p.text_or_name("address");
    match syntax::listen_address(&address) {
        Err(why) => {
            Err(ValidationError::of("address", format!("the address to listen on, {address:?}, is wrong: {why}"))
                .help("write it like `:8080`, `127.0.0.1:8080` or `[::1]:8080`"))
        }
        Ok(Some(ip)) if only_ipv4 && !ip.is_ipv4() => Err(ValidationError::of(
            "address",
            format!("the address to listen on, {address:?}, is not an IPv4 address"),
        )),
        Ok(_) if p.meta().poll != 0 => {
            Err(ValidationError::of("Meta:poll", "a server cannot poll: it would never listen"))
        }
        Ok(_) => Ok(()),
    }
}

/// A child's source: a path or inline data, not both.
pub(super) fn validate_source(p: &Params<'_>) -> Result<(), ValidationError> {
    if !p.text("path").is_empty() && !p.text("data").is_empty() {
        return Err(ValidationError::of("data", "`path` and `data` exclude each other"));
    }
    Ok(())
}

pub(super) const FILE: ResourceKind = ResourceKind {
    name: "http:server:file",
    doc: "A document, or a directory tree, that an `http:server` serves.",
    fields: &[
        SERVER_NAME,
        Field::new("filename", "str", "The public path; ends with `/` for a tree.").default_name(),
        Field::new("path", "str", "The file or directory to serve: absolute.").check(Check::AbsolutePath),
        Field::new("data", "str", "The content, instead of a file."),
        Field::new("longpoll", "bool", "Hold conditional requests until the content changes."),
    ],
    sends: &[],
    traits: Traits { autoedge: true, autogroup: true, receive: true, ..Traits::NONE },
    validate: |p| {
        validate_source(p)?;
        if p.bool("longpoll") && p.text("path").ends_with('/') {
            return Err(ValidationError::of("longpoll", "`longpoll` needs a file, and `path` is a directory"));
        }
        Ok(())
    },
};

pub(super) const FLAG: ResourceKind = ResourceKind {
    name: "http:server:flag",
    doc: "A path whose posted form value other resources can receive.",
    fields: &[
        SERVER_NAME,
        Field::new("path", "str", "The public path: starts with `/`.").default_name(),
        Field::new("key", "str", "The form field; when empty a request is only an event."),
    ],
    sends: &[SendField::optional("value", "str")],
    traits: Traits { autoedge: true, autogroup: true, ..Traits::NONE },
    validate: validate_public_path,
};

fn validate_public_path(p: &Params<'_>) -> Result<(), ValidationError> {
    let path = p.text_or_name("path");
    if !path.starts_with('/') {
        return Err(ValidationError::of("path", format!("the public path must start with `/`, and {path:?} does not")));
    }
    Ok(())
}

pub(super) const PROXY: ResourceKind = ResourceKind {
    name: "http:server:proxy",
    doc: "A caching proxy for a path prefix.",
    fields: &[
        SERVER_NAME,
        Field::new("path", "str", "The public prefix, or one path.").default_name(),
        Field::new("sub", "str", "A prefix to remove before `head` is put in front.").check(Check::AbsoluteDirectory),
        Field::new("head", "str", "The URL prefix of the other server; when empty only the cache is used."),
        Field::new("cache", "str", "A directory for copies; when empty nothing is kept.")
            .check(Check::AbsoluteDirectory),
    ],
    sends: &[],
    traits: Traits { autoedge: true, autogroup: true, ..Traits::NONE },
    validate: |p| {
        validate_public_path(p)?;
        let head = p.text("head");
        if !head.is_empty() && !head.ends_with('/') {
            return Err(ValidationError::of("head", format!("`head` must end with `/`, and {head:?} does not")));
        }
        if !head.is_empty() && syntax::url(&head).is_none() {
            return Err(ValidationError::of("head", format!("`head` must be a URL, not {head:?}")));
        }
        Ok(())
    },
};

pub(super) const UI: ResourceKind = ResourceKind {
    name: "http:server:ui",
    doc: "A small live web form.",
    fields: &[
        SERVER_NAME,
        Field::new("path", "str", "The public path: starts and ends with `/`.").default_name(),
        Field::new("data", "struct{title str; head str}", "The page's title, and HTML for its head.").optional(),
    ],
    sends: &[],
    traits: Traits { autoedge: true, autogroup: true, ..Traits::NONE },
    validate: |p| {
        validate_public_path(p)?;
        let path = p.text_or_name("path");
        if !path.ends_with('/') {
            return Err(ValidationError::of(
                "path",
                format!("the public path must end with `/`, and {path:?} does not"),
            ));
        }
        Ok(())
    },
};

pub(super) const UI_INPUT: ResourceKind = ResourceKind {
    name: "http:server:ui:input",
    doc: "One field of a web form; other resources can receive its value.",
    fields: &[
        Field::new("path", "str", "The name of the `http:server:ui` to belong to; any when empty."),
        Field::new("id", "str", "The element's public name.").default_name(),
        Field::new("value", "str", "The first value."),
        Field::new("store", "str", "Keep the value in a store: `local://` or `world://`, optionally with `?key=…`."),
        Field::new("type", "str", "`text://`, or `range://?min=…&max=…&step=…`.").default("\"text://\""),
        Field::new("sort", "str", "The text that the fields are sorted by."),
    ],
    sends: &[SendField::optional("value", "str")],
    traits: Traits { autoedge: true, autogroup: true, ..Traits::NONE },
    validate: |p| {
        if !p.text("value").is_empty() && !p.text("store").is_empty() {
            return Err(ValidationError::of("store", "`value` and `store` exclude each other"));
        }
        for (param, schemes) in [("type", ["text", "range"]), ("store", ["local", "world"])] {
            let text = p.text(param);
            let unset = param == "store" && text.is_empty();
            let known = unset || syntax::url(&text).is_some_and(|u| schemes.contains(&u.scheme));
            if !known {
                return Err(ValidationError::of(
                    param,
                    format!("`{param}` must start with `{}://` or `{}://`, not be {text:?}", schemes[0], schemes[1]),
                ));
            }
        }
        Ok(())
    },
};

pub(super) const CLIENT: ResourceKind = ResourceKind {
    name: "http:client",
    doc: "Fetches a URL into a file, or for other resources to receive.",
    fields: &[
        Field::new("file", "str", "The file to write: absolute.")
            .default("the name, if it is an absolute path")
            .check(Check::AbsoluteFile),
        Field::new("method", "str", "The method, in upper case.").default("\"GET\""),
        Field::new("url", "str", "The URL, `http` or `https`.").required(),
        Field::new("body", "str", "The body of the request.").optional(),
        Field::new("mtime_check", "bool", "Ask only for what changed since the file was written.").default("true"),
        Field::new("sha256", "str", "The digest that the content must have, in lower-case hexadecimal."),
        Field::new("longpoll", "bool", "Wait for changes with a long request."),
        Field::new("longpoll_redirect", "bool", "A redirect says that the server is now waiting."),
        Field::new("longpoll_conditional", "bool", "Ask the server to wait with `Prefer: wait=60`."),
    ],
    sends: &[SendField::optional("content", "str")],
    traits: Traits { autoedge: true, refresh: true, ..Traits::NONE },
    validate: validate_client,
};

const METHODS: [&str; 10] = ["", "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "CONNECT", "OPTIONS", "TRACE"];

fn validate_client(p: &Params<'_>) -> Result<(), ValidationError> {
    let method = p.text("method");
    if !METHODS.contains(&&*method) {
        let upper = method.to_ascii_uppercase();
        let error = ValidationError::of("method", format!("there is no method {method:?}"));
        return Err(if METHODS.contains(&&*upper) { error.help(format!("did you mean {upper:?}?")) } else { error });
    }
    let text = p.text("url");
    let Some(url) = syntax::url(&text) else {
        return Err(ValidationError::of("url", format!("`url` is not a URL: {text:?}")));
    };
    if !["http", "https"].contains(&url.scheme) {
        return Err(ValidationError::of(
            "url",
            format!("`url` must start with `http://` or `https://`, not be {text:?}"),
        ));
    }
    if url.host.is_empty() {
        return Err(ValidationError::of("url", format!("`url` has no host: {text:?}")));
    }
    let digest = p.text("sha256");
    if !digest.is_empty() && (digest.len() != 64 || !digest.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))) {
        return Err(ValidationError::of(
            "sha256",
            format!("`sha256` must be 64 lower-case hexadecimal digits, not {digest:?}"),
        ));
    }
    let modes = [p.bool("longpoll_redirect"), p.bool("longpoll_conditional")];
    match (p.bool("longpoll"), modes) {
        (_, [true, true]) => Err(ValidationError::of(
            "longpoll_redirect",
            "`longpoll_redirect` and `longpoll_conditional` exclude each other",
        )),
        (true, _) if p.meta().poll != 0 => {
            Err(ValidationError::of("longpoll", "`longpoll` and `Meta:poll` exclude each other"))
        }
        (true, [false, false]) => {
            Err(ValidationError::of("longpoll", "`longpoll` needs `longpoll_redirect` or `longpoll_conditional`"))
        }
        (false, _) if p.meta().poll == 0 => {
            Err(ValidationError::of("Meta:poll", "`http:client` needs `Meta:poll` or `longpoll`")
                .help("`Meta:poll => 3600` fetches once an hour, `Meta:poll => -1` once"))
        }
        _ => Ok(()),
    }
}
