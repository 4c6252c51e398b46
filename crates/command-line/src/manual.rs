//! Manual pages, made from the declared command line.

use std::io;

use clap::{Command, CommandFactory};
use clap_mangen::Man;
use roff::{Roff, bold, roman};

use crate::tool::Tool;
use crate::version::VERSION;

/// A section of a manual page that does not follow from the command line.
#[derive(Clone, Copy, Debug)]
pub struct Section {
    /// The title, in capitals: `EXIT STATUS`, `FILES`, `ENVIRONMENT`, `EXAMPLES`.
    pub title: &'static str,
    /// Its entries: a term, such as a status or an example, and what it means.
    pub entries: &'static [(&'static str, &'static str)],
}

/// A manual page in the format of `man`.
#[derive(Clone, Debug)]
pub struct ManualPage {
    /// The name of its file, such as `mclc-check.1`.
    pub file_name: String,
    /// Its text.
    pub text: Vec<u8>,
}

/// Returns the manual pages of a tool and of each of its subcommands. `sections` returns what is added to the page of a command,
/// by its name without that of the tool, which is empty for the tool itself.
///
/// # Errors
/// A page cannot be rendered.
pub fn manual_pages<C: CommandFactory>(
    tool: &Tool,
    sections: impl Fn(&str) -> Vec<Section>,
) -> io::Result<Vec<ManualPage>> {
    let mut command = C::command();
    command.build();
    let mut pages = vec![page(&command, tool.name, &[], &sections(""))?];
    let mut pending: Vec<(String, Command)> = Vec::new();
    let subcommands = |command: &Command, above: &str| -> Vec<(String, Command)> {
        let visible =
            command.get_subcommands().filter(|command| !command.is_hide_set() && command.get_name() != "help");
        visible.map(|command| (format!("{above}{}", command.get_name()), command.clone())).collect()
    };
    pending.extend(subcommands(&command, ""));
    let see_also = [tool.name];
    while let Some((name, command)) = pending.pop() {
        pending.extend(subcommands(&command, &format!("{name}-")));
        let title = format!("{}-{name}", tool.name);
        pages.push(page(&command, &title, &see_also, &sections(&name))?);
    }
    pages.sort_by(|a, b| a.file_name.cmp(&b.file_name));
    Ok(pages)
}

fn page(command: &Command, title: &str, see_also: &[&str], sections: &[Section]) -> io::Result<ManualPage> {
    let mut text = Vec::new();
    let man = Man::new(command.clone().version(VERSION)).title(title.to_uppercase()).section("1");
    man.render_title(&mut text)?;
    man.render_name_section(&mut text)?;
    man.render_synopsis_section(&mut text)?;
    man.render_description_section(&mut text)?;
    man.render_options_section(&mut text)?;
    if command.has_subcommands() {
        man.render_subcommands_section(&mut text)?;
    }
    for section in sections {
        let mut roff = Roff::default();
        roff.control("SH", [section.title]);
        for (term, meaning) in section.entries {
            roff.control("TP", []);
            roff.text([bold(*term)]);
            roff.text([roman(*meaning)]);
        }
        roff.to_writer(&mut text)?;
    }
    if !see_also.is_empty() {
        let mut roff = Roff::default();
        roff.control("SH", ["SEE ALSO"]);
        roff.text(see_also.iter().flat_map(|name| [bold(*name), roman("(1)")]).collect::<Vec<_>>());
        roff.to_writer(&mut text)?;
    }
    Ok(ManualPage { file_name: format!("{title}.1"), text })
}
