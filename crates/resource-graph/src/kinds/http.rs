//! `http:server` with its children, and `http:client` (spec 08 §2).

use crate::autoedge::{AutoEdgeErrorKind, AutoEdgeInput, EdgeFinder};
use crate::kinds::file::file_identity;
use crate::kinds::syntax;
use crate::{AutoEdges, Check, Field, Grouping, Params, Repr, ResourceKind, SendField, Traits, ValidationError};

const SERVER_NAME: Field =
    Field::new("server", "str", "The name of the `http:server` that it belongs to; any server if empty.");

pub(super) const SERVER: ResourceKind = ResourceKind {
    name: "http:server",
    doc: "A small HTTP server for its children and optionally a directory.",
    example: r#"http:server ":8080" {
	root => "/srv/site/",
}"#,
    implemented: false,
    fields: &[
        Field::new("address", "str", "`HOST:PORT` to listen on; the host is empty or an IP address.").default_name(),
        Field::new("timeout", "int", "The default of the other timeouts, in seconds.").optional().repr(Repr::Uint64),
        Field::new("read_timeout", "int", "Seconds to read a request; 0 for no limit.")
            .optional()
            .default("timeout")
            .repr(Repr::Uint64),
        Field::new("write_timeout", "int", "Seconds to write a response; 0 for no limit.")
            .optional()
            .default("timeout")
            .repr(Repr::Uint64),
        Field::new("shutdown_timeout", "int", "Seconds to wait for pending responses on shutdown; 0 for no limit.")
            .optional()
            .default("timeout")
            .repr(Repr::Uint64),
        Field::new("root", "str", "The directory to serve: an absolute path with a trailing `/`.")
            .check(Check::AbsoluteDirectory),
    ],
    traits: Traits { autoedge: true, autogroup: true, ..Traits::NONE },
    validate: |p| validate_listener(p, AddressFamily::Any),
    ..ResourceKind::BASE
};

/// The addresses that a server kind can listen on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum AddressFamily {
    Any,
    Ipv4,
}

/// Checks the address that a server kind listens on.
pub(super) fn validate_listener(p: &Params<'_>, family: AddressFamily) -> Result<(), ValidationError> {
    let address = p.string_or_name("address");
    match syntax::listen_address(&address) {
        Err(error) => Err(ValidationError::of_value("address", format!("invalid listen address {address:?}: {error}"))
            .help("write it like `:8080`, `127.0.0.1:8080` or `[::1]:8080`")),
        Ok(Some(ip)) if family == AddressFamily::Ipv4 && !ip.is_ipv4() => Err(ValidationError::of_value(
            "address",
            format!("invalid listen address {address:?}: expected an IPv4 address"),
        )),
        Ok(_) if p.meta().poll != 0 => Err(ValidationError::of("Meta:poll", "`Meta:poll` is not allowed for a server")),
        Ok(_) => Ok(()),
    }
}

/// Checks the source of a child: a path or inline data, but not both.
pub(super) fn validate_source(p: &Params<'_>) -> Result<(), ValidationError> {
    if !p.string("path").is_empty() && !p.string("data").is_empty() {
        return Err(ValidationError::of("data", "`path` and `data` are mutually exclusive"));
    }
    Ok(())
}

/// A served document comes after the file or directory that it is read from.
pub(super) fn want_served_path(input: &AutoEdgeInput<'_>, edges: &mut EdgeFinder<'_>) -> Result<(), AutoEdgeErrorKind> {
    let path = input.params.string("path");
    if !path.is_empty() {
        edges.needs(&file_identity(path));
    }
    Ok(())
}

pub(super) const FILE: ResourceKind = ResourceKind {
    name: "http:server:file",
    doc: "A document, or a directory tree, that an `http:server` serves.",
    example: r#"http:server:file "/hello" {
	data => "hello\n",
}"#,
    implemented: false,
    fields: &[
        SERVER_NAME,
        Field::new("filename", "str", "The public path, with a trailing `/` for a directory tree.").default_name(),
        Field::new("path", "str", "The file or directory to serve: an absolute path.").check(Check::AbsolutePath),
        Field::new("data", "str", "The content, in place of a file."),
        Field::new("longpoll", "bool", "Hold conditional requests until the content changes."),
    ],
    traits: Traits { autoedge: true, autogroup: true, receive: true, ..Traits::NONE },
    validate: |p| {
        validate_source(p)?;
        if p.bool("longpoll") && p.string("path").ends_with('/') {
            return Err(ValidationError::of("longpoll", "`longpoll` is not allowed for a directory"));
        }
        Ok(())
    },
    autoedges: AutoEdges { wants: want_served_path, ..AutoEdges::NONE },
    grouping: Grouping::below("http:server", "server"),
    ..ResourceKind::BASE
};

pub(super) const FLAG: ResourceKind = ResourceKind {
    name: "http:server:flag",
    doc: "A path that accepts a form value, which other resources can receive.",
    example: r#"http:server:flag "/installed" {
	key => "host",
}"#,
    implemented: false,
    fields: &[
        SERVER_NAME,
        Field::new("path", "str", "The public path, with a leading `/`.").default_name(),
        Field::new("key", "str", "The form field; if empty, a request only triggers an event."),
    ],
    sends: &[SendField::optional("value", "str")],
    traits: Traits { autoedge: true, autogroup: true, ..Traits::NONE },
    validate: validate_public_path,
    grouping: Grouping {
        key: |p| Some(vec![p.string("server"), p.string_or_name("path")]),
        ..Grouping::below("http:server", "server")
    },
    ..ResourceKind::BASE
};

fn validate_public_path(p: &Params<'_>) -> Result<(), ValidationError> {
    let path = p.string_or_name("path");
    if !path.starts_with('/') {
        return Err(ValidationError::of(
            "path",
            format!("invalid public path: expected a leading `/`, found {path:?}"),
        ));
    }
    Ok(())
}

pub(super) const PROXY: ResourceKind = ResourceKind {
    name: "http:server:proxy",
    doc: "A caching proxy for a path prefix.",
    example: r#"http:server:proxy "/debian/" {
	sub => "/debian/",
	head => "https://deb.debian.org/debian/",
	cache => "/var/cache/proxy/",
}"#,
    implemented: false,
    fields: &[
        SERVER_NAME,
        Field::new("path", "str", "The public prefix or a single path.").default_name(),
        Field::new("sub", "str", "The prefix that `head` replaces.").check(Check::AbsoluteDirectory),
        Field::new("head", "str", "The URL prefix of the upstream server; if empty, only the cache is used."),
        Field::new("cache", "str", "The cache directory; if empty, nothing is cached.").check(Check::AbsoluteDirectory),
    ],
    traits: Traits { autoedge: true, autogroup: true, ..Traits::NONE },
    validate: |p| {
        validate_public_path(p)?;
        let head = p.string("head");
        if !head.is_empty() && !head.ends_with('/') {
            return Err(ValidationError::of_value(
                "head",
                format!("invalid `head`: expected a trailing `/`, found {head:?}"),
            ));
        }
        if !head.is_empty() && syntax::url(&head).is_none() {
            return Err(ValidationError::of_value("head", format!("invalid `head`: expected a URL, found {head:?}")));
        }
        Ok(())
    },
    grouping: Grouping::below("http:server", "server"),
    ..ResourceKind::BASE
};

pub(super) const UI: ResourceKind = ResourceKind {
    name: "http:server:ui",
    doc: "A web form whose values update live.",
    example: r#"http:server:ui "/ui/" {
	path => "/ui/",
}"#,
    implemented: false,
    fields: &[
        SERVER_NAME,
        Field::new("path", "str", "The public path, with a leading and a trailing `/`.").default_name(),
        Field::new("data", "struct{title str; head str}", "The title of the page, and HTML for its head.").optional(),
    ],
    traits: Traits { autoedge: true, autogroup: true, ..Traits::NONE },
    validate: |p| {
        validate_public_path(p)?;
        let path = p.string_or_name("path");
        if !path.ends_with('/') {
            return Err(ValidationError::of(
                "path",
                format!("invalid public path: expected a trailing `/`, found {path:?}"),
            ));
        }
        Ok(())
    },
    grouping: Grouping::below("http:server", "server"),
    ..ResourceKind::BASE
};

pub(super) const UI_INPUT: ResourceKind = ResourceKind {
    name: "http:server:ui:input",
    doc: "One field of a web form; other resources can receive its value.",
    example: r#"http:server:ui:input "name" {
	id => "name",
}"#,
    implemented: false,
    fields: &[
        Field::new("path", "str", "The name of the `http:server:ui` that it belongs to; any form if empty."),
        Field::new("id", "str", "The element's public name.").default_name(),
        Field::new("value", "str", "The initial value."),
        Field::new("store", "str", "The store of the value: `local://` or `world://`, optionally with `?key=…`."),
        Field::new("type", "str", "`text://`, or `range://?min=…&max=…&step=…`.").default("\"text://\""),
        Field::new("sort", "str", "The sort key of the field."),
    ],
    sends: &[SendField::optional("value", "str")],
    traits: Traits { autoedge: true, autogroup: true, ..Traits::NONE },
    validate: |p| {
        if !p.string("value").is_empty() && !p.string("store").is_empty() {
            return Err(ValidationError::of("store", "`value` and `store` are mutually exclusive"));
        }
        for (param, schemes) in [("type", ["text", "range"]), ("store", ["local", "world"])] {
            let text = p.string(param);
            let unset = param == "store" && text.is_empty();
            let known = unset || syntax::url(&text).is_some_and(|u| schemes.contains(&u.scheme));
            if !known {
                return Err(ValidationError::of_value(
                    param,
                    format!("invalid `{param}` {text:?}: expected `{}://` or `{}://`", schemes[0], schemes[1]),
                ));
            }
        }
        Ok(())
    },
    grouping: Grouping::below("http:server:ui", "path"),
    ..ResourceKind::BASE
};

pub(super) const CLIENT: ResourceKind = ResourceKind {
    name: "http:client",
    doc: "Fetches a URL, into a file or for other resources to receive.",
    example: r#"http:client "health" {
	url => "https://example.com/health",

	Meta:poll => 60,
}"#,
    implemented: false,
    fields: &[
        Field::new("file", "str", "The absolute path of the file to write.")
            .default("the name, if it is an absolute path")
            .check(Check::AbsoluteFile),
        Field::new("method", "str", "The method, in uppercase.").default("\"GET\""),
        Field::new("url", "str", "The URL, `http` or `https`.").required(),
        Field::new("body", "str", "The body of the request.").optional(),
        Field::new("mtime_check", "bool", "Request the content only if it has changed since the file was written.")
            .default("true"),
        Field::new("sha256", "str", "The required digest of the content, in lowercase hexadecimal."),
        Field::new("longpoll", "bool", "Wait for changes with a long-running request."),
        Field::new("longpoll_redirect", "bool", "A redirect means that the server is now waiting."),
        Field::new("longpoll_conditional", "bool", "Ask the server to wait with `Prefer: wait=60`."),
    ],
    sends: &[SendField::optional("content", "str")],
    traits: Traits { autoedge: true, refresh: true, ..Traits::NONE },
    validate: validate_client,
    ..ResourceKind::BASE
};

const METHODS: [&str; 10] = ["", "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "CONNECT", "OPTIONS", "TRACE"];

fn validate_client(p: &Params<'_>) -> Result<(), ValidationError> {
    let method = p.string("method");
    if !METHODS.contains(&&*method) {
        let upper = method.to_ascii_uppercase();
        let error = ValidationError::of_value("method", format!("unknown method {method:?}"));
        return Err(if METHODS.contains(&&*upper) { error.help(format!("did you mean {upper:?}?")) } else { error });
    }
    let text = p.string("url");
    let Some(url) = syntax::url(&text) else {
        return Err(ValidationError::of_value("url", format!("invalid `url` {text:?}")));
    };
    if !["http", "https"].contains(&url.scheme) {
        return Err(ValidationError::of_value(
            "url",
            format!("invalid `url` {text:?}: expected `http://` or `https://`"),
        ));
    }
    if url.host.is_empty() {
        return Err(ValidationError::of_value("url", format!("invalid `url` {text:?}: missing host")));
    }
    let digest = p.string("sha256");
    if !digest.is_empty() && (digest.len() != 64 || !digest.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))) {
        return Err(ValidationError::of_value(
            "sha256",
            format!("invalid `sha256` {digest:?}: expected 64 lowercase hexadecimal digits"),
        ));
    }
    let modes = [p.bool("longpoll_redirect"), p.bool("longpoll_conditional")];
    match (p.bool("longpoll"), modes) {
        (_, [true, true]) => Err(ValidationError::of(
            "longpoll_redirect",
            "`longpoll_redirect` and `longpoll_conditional` are mutually exclusive",
        )),
        (true, _) if p.meta().poll != 0 => {
            Err(ValidationError::of("longpoll", "`longpoll` and `Meta:poll` are mutually exclusive"))
        }
        (true, [false, false]) => {
            Err(ValidationError::of("longpoll", "`longpoll` requires `longpoll_redirect` or `longpoll_conditional`"))
        }
        (false, _) if p.meta().poll == 0 => {
            Err(ValidationError::of("Meta:poll", "`http:client` requires `Meta:poll` or `longpoll`")
                .help("`Meta:poll => 3600` fetches once an hour, `Meta:poll => -1` once"))
        }
        _ => Ok(()),
    }
}
