//! Writing an archive to its file.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::{Context, Failure, Params, make_temporary, temporary_beside};

/// Produces the content of an archive.
pub(super) trait Source {
    fn write_to(&self, out: &mut dyn Write) -> Result<(), Failure>;
}

/// Returns the path to write: the parameter `path`, or the name of the resource.
pub(super) fn output_path(params: Params<'_>) -> Result<PathBuf, Failure> {
    Ok(PathBuf::from(match params.str("path")? {
        "" => params.name(),
        path => path,
    }))
}

/// Writes the archive unless the file has its content already.
pub(super) fn check_output(cx: &mut Context<'_>, path: &Path, source: &dyn Source) -> Result<(), Failure> {
    let mut wanted = Sha256::new();
    source.write_to(&mut wanted)?;
    let wanted = wanted.finalize();
    let present = match File::open(path) {
        Ok(mut file) => {
            let mut digest = Sha256::new();
            io::copy(&mut file, &mut digest).map_err(Failure::on("read", path))?;
            Some(digest.finalize())
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(Failure::io("read", path, error)),
    };
    if present.as_ref() == Some(&wanted) {
        return Ok(());
    }
    if !cx.change(format!("write {}", path.display()))? {
        return Ok(());
    }
    let temporary = temporary_beside(path);
    let result = write_new(&temporary, source).and_then(|()| {
        fs::rename(&temporary, path).map_err(Failure::on("write", path))?;
        let synced = path.parent().map_or(Ok(()), |directory| File::open(directory)?.sync_all());
        synced.map_err(Failure::on("write", path))
    });
    if result.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    result
}

fn write_new(path: &Path, source: &dyn Source) -> Result<(), Failure> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    let file = make_temporary(path, || options.open(path)).map_err(Failure::on("create", path))?;
    let mut out = BufWriter::new(file);
    source.write_to(&mut out)?;
    let file = out.into_inner().map_err(|error| Failure::io("write", path, error.into_error()))?;
    file.sync_all().map_err(Failure::on("write", path))
}
