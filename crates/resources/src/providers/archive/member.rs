//! One member of a tar archive.

use std::io::{self, Read, Write};

use tar::{Builder, EntryType, Header};

use crate::{Failure, Params};

/// The format of member headers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    /// The first of the others that can describe the member.
    Auto,
    Ustar,
    Pax,
    Gnu,
}

impl Format {
    pub(super) fn read(params: Params<'_>) -> Result<Format, Failure> {
        match params.int("format")? {
            0 => Ok(Format::Auto),
            2 => Ok(Format::Ustar),
            4 => Ok(Format::Pax),
            8 => Ok(Format::Gnu),
            other => Err(Failure::Invalid(format!(
                "`format` must be one of $const.res.tar.format.unknown, .ustar, .pax and .gnu, not {other}"
            ))),
        }
    }
}

/// A file or a directory of an archive.
pub(super) struct Member<'a> {
    /// The name in the archive; ends with a slash for a directory.
    pub(super) name: &'a str,
    pub(super) mode: u32,
    pub(super) uid: u32,
    pub(super) gid: u32,
    /// Seconds since 1970.
    pub(super) modified: u64,
    pub(super) size: u64,
}

/// Maximum length of a name in a plain header, in bytes.
const MAX_NAME_LENGTH: usize = 100;

impl Member<'_> {
    /// Writes the member; the content has exactly its size.
    pub(super) fn append(
        &self,
        tar: &mut Builder<&mut dyn Write>,
        format: Format,
        content: &mut dyn Read,
    ) -> io::Result<()> {
        let mut header = if format == Format::Gnu { Header::new_gnu() } else { Header::new_ustar() };
        let is_directory = self.name.ends_with('/');
        header.set_entry_type(if is_directory { EntryType::Directory } else { EntryType::Regular });
        header.set_mode(self.mode & 0o7777);
        header.set_uid(self.uid.into());
        header.set_gid(self.gid.into());
        header.set_mtime(self.modified);
        header.set_size(self.size);
        // A plain header has eleven octal digits.
        let fits = self.set_name(&mut header) && self.size < 0o100_000_000_000;
        if !fits {
            match format {
                Format::Auto | Format::Pax => {
                    let length = self.size.to_string();
                    let records = [("path", self.name.as_bytes()), ("size", length.as_bytes())];
                    tar.append_pax_extensions(records)?;
                }
                Format::Gnu => self.append_long_name(tar)?,
                Format::Ustar => {
                    let text = "the ustar format cannot hold it: its name is too long, or it is too large";
                    return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
                }
            }
            // For readers that support neither extension.
            let short: String = self.name.chars().filter(char::is_ascii).take(90).collect();
            set_bytes(&mut header, if short.is_empty() { b"member" } else { short.as_bytes() });
        }
        header.set_cksum();
        tar.append(&header, content)
    }

    /// Sets the name and returns whether it fits. A leading slash is kept.
    fn set_name(&self, header: &mut Header) -> bool {
        if self.name.starts_with('/') {
            return self.name.len() <= MAX_NAME_LENGTH && set_bytes(header, self.name.as_bytes());
        }
        header.set_path(self.name).is_ok()
    }

    /// Writes a long name as GNU tar does: in an extra member before the member.
    fn append_long_name(&self, tar: &mut Builder<&mut dyn Write>) -> io::Result<()> {
        let mut header = Header::new_gnu();
        header.set_entry_type(EntryType::GNULongName);
        header.set_mode(0o644);
        header.set_size(self.name.len() as u64 + 1);
        set_bytes(&mut header, b"././@LongLink");
        header.set_cksum();
        tar.append(&header, &mut self.name.as_bytes().chain(&b"\0"[..]))
    }
}

fn set_bytes(header: &mut Header, name: &[u8]) -> bool {
    let field = &mut header.as_old_mut().name;
    field.fill(0);
    let is_short = name.len() <= field.len();
    if is_short {
        field[..name.len()].copy_from_slice(name);
    }
    is_short
}
