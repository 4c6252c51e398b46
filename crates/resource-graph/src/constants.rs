//! The predefined constants of resource kinds (spec 05 §3.5, spec 08 §0.2): every program has them without an import, as
//! `$const.res.KIND.PARAM.NAME`.

/// The value of a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the variants are the types")]
pub enum ConstantValue {
    Str(&'static str),
    Int(i64),
}

/// Returns the value of the constant with this variable name, given without the `$`.
#[must_use]
pub fn resource_constant(variable: &str) -> Option<ConstantValue> {
    let rest = variable.strip_prefix("const.res.")?;
    let (rest, name) = rest.rsplit_once('.')?;
    let (kind, param) = rest.rsplit_once('.')?;
    let constants = crate::kind(kind)?.constants;
    constants.iter().find(|c| c.param == param && c.name == name).map(|c| c.value)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn every_constant_is_found_by_its_variable() {
        let mut listed = String::new();
        for kind in crate::all_kinds() {
            for constant in kind.constants {
                let variable = format!("const.res.{}.{}.{}", kind.name, constant.param, constant.name);
                assert_eq!(resource_constant(&variable), Some(constant.value));
                listed += &format!("{variable} {:?}\n", constant.value);
            }
        }
        expect![[r#"
            const.res.file.state.exists Str("exists")
            const.res.file.state.absent Str("absent")
            const.res.file.state.undefined Str("")
            const.res.firewalld.state.exists Str("exists")
            const.res.firewalld.state.absent Str("absent")
            const.res.firewalld.state.undefined Str("")
            const.res.gzip.level.no_compression Int(0)
            const.res.gzip.level.best_speed Int(1)
            const.res.gzip.level.best_compression Int(9)
            const.res.gzip.level.default_compression Int(-1)
            const.res.gzip.level.huffman_only Int(-2)
            const.res.net.state.up Str("up")
            const.res.net.state.down Str("down")
            const.res.net.state.undefined Str("")
            const.res.tar.format.unknown Int(0)
            const.res.tar.format.ustar Int(2)
            const.res.tar.format.pax Int(4)
            const.res.tar.format.gnu Int(8)
        "#]]
        .assert_eq(&listed);
        assert_eq!(resource_constant("const.res.file.state.gone"), None);
        assert_eq!(resource_constant("file.state.exists"), None);
    }
}
