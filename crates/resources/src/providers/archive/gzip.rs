//! `gzip`: a compressed file or string.

use std::io::{self, Write};
use std::path::PathBuf;

use flate2::{Compression, GzBuilder};
use resource_graph::Resource;
use rustix::io::Errno;
use safe_fs::{Files, LastLink};

use crate::file_access::failure;
use crate::providers::archive::output::{Source, check_output, output_path};
use crate::providers::file::max_mode;
use crate::{Context, Effects, Failure, Params, Provider, Scope, Watch};

struct Gzip {
    path: PathBuf,
    input: Option<PathBuf>,
    content: Vec<u8>,
    level: u32,
}

pub(in crate::providers) fn build(resources: &[Resource]) -> Result<Box<dyn Provider>, Failure> {
    Ok(Box::new(Gzip::read(&resources[0])?))
}

impl Gzip {
    fn read(resource: &Resource) -> Result<Gzip, Failure> {
        let params = Params::new(resource);
        let level = match params.opt_int("level")?.unwrap_or(-1) {
            -2 => 1,
            -1 => 6,
            level => u32::try_from(level)
                .ok()
                .filter(|l| *l <= 9)
                .ok_or_else(|| Failure::Invalid(format!("`level` must be between -2 and 9, not {level}")))?,
        };
        Ok(Gzip {
            path: output_path(params)?,
            input: params.opt_str("input")?.map(PathBuf::from),
            content: params.opt_bytes("content")?.map(|content| content.as_bytes().to_vec()).unwrap_or_default(),
            level,
        })
    }
}

impl Source for Gzip {
    fn write_to(&self, files: &Files, out: &mut dyn Write) -> Result<u32, Failure> {
        let mut mode = 0o7777;
        let mut gzip = GzBuilder::new().write(out, Compression::new(self.level));
        match &self.input {
            Some(input) => {
                let file = files.open(input, LastLink::Follow).map_err(failure)?;
                let mut file = file.ok_or_else(|| Failure::io("read", input, Errno::NOENT))?;
                mode = max_mode(file.stat());
                io::copy(&mut file, &mut gzip).map_err(Failure::on("compress", input))?;
            }
            None => gzip.write_all(&self.content).map_err(Failure::on("write", &self.path))?,
        }
        gzip.finish().map_err(Failure::on("write", &self.path))?;
        Ok(mode)
    }
}

impl Provider for Gzip {
    fn effects(&self) -> Effects {
        Effects::Files
    }

    fn check_apply(&mut self, cx: &mut Context<'_>) -> Result<(), Failure> {
        check_output(cx, &self.path, self)
    }

    fn watches(&self) -> Vec<Watch> {
        let paths = std::iter::once(&self.path).chain(&self.input);
        paths.map(|path| Watch::Path(path.clone(), Scope::Entry)).collect()
    }

    fn update(&mut self, resources: &[Resource]) -> Result<(), Failure> {
        *self = Gzip::read(&resources[0])?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::io::Read;

    use crate::provider_test::{ProviderTest, resource};

    #[test]
    fn texts_and_files_are_compressed() {
        let scratch = tempfile::tempdir().unwrap();
        let out = scratch.path().join("o.gz");
        let unpacked = || {
            let mut text = String::new();
            flate2::read::GzDecoder::new(File::open(&out).unwrap()).read_to_string(&mut text).unwrap();
            text
        };
        let gzip = || resource("gzip", "g").with("path", out.to_str().unwrap());
        ProviderTest::new(&gzip().with("content", "hello").with("level", -2)).assert_converges();
        assert_eq!(unpacked(), "hello");
        let input = scratch.path().join("i");
        fs::write(&input, "from a file").unwrap();
        let mut test = ProviderTest::new(&gzip().with("input", input.to_str().unwrap()).with("content", "not this"));
        test.assert_converges();
        assert_eq!(unpacked(), "from a file");
        fs::remove_file(&input).unwrap();
        assert!(test.run(true).is_err());
        assert_eq!(unpacked(), "from a file");
    }
}
