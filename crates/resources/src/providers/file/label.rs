//! Security labels of SELinux: `USER:ROLE:TYPE:RANGE`.

/// A label that a file is to have. Empty parts stay as they are.
pub(super) struct Label(Box<str>);

/// The number of parts. The last, the range, may contain colons.
const PARTS: usize = 4;

impl Label {
    pub(super) fn parse(text: &str) -> Label {
        Label(text.into())
    }

    /// Returns the label, if it does not depend on the present one and is not empty.
    pub(super) fn complete(&self) -> Option<&str> {
        let is_complete = self.0.splitn(PARTS, ':').all(|part| !part.is_empty());
        is_complete.then_some(&*self.0)
    }

    /// Returns the label of a file with a present one. Without a present one, as where SELinux is not used, there are no parts
    /// to keep, so a label with empty parts changes nothing.
    pub(super) fn applied_to(&self, present: &str) -> String {
        if self.0.is_empty() || self.complete().is_some() {
            return self.0.to_string();
        }
        if present.is_empty() {
            return String::new();
        }
        let mut present = present.splitn(PARTS, ':');
        let parts = self.0.splitn(PARTS, ':').map(|wanted| {
            let kept = present.next().unwrap_or_default();
            if wanted.is_empty() { kept } else { wanted }
        });
        // Without multi-level security a label has three parts.
        parts.collect::<Vec<_>>().join(":").trim_end_matches(':').to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_parts_stay_as_they_are() {
        for (wanted, present, after) in [
            ("system_u:object_r:etc_t:s0", "u:r:t:s1", "system_u:object_r:etc_t:s0"),
            ("::httpd_t:", "u:r:t:s0:c1,c2", "u:r:httpd_t:s0:c1,c2"),
            ("::httpd_t:", "u:r:t", "u:r:httpd_t"),
            ("x:::", "u:r:t:s0", "x:r:t:s0"),
            (":::s1:c3", "u:r:t:s0", "u:r:t:s1:c3"),
            ("", "u:r:t:s0", ""),
            ("::httpd_t:", "", ""),
            ("u:r:t:s0", "", "u:r:t:s0"),
        ] {
            assert_eq!(Label::parse(wanted).applied_to(present), after, "{wanted} {present}");
        }
        assert_eq!(Label::parse("::t:").complete(), None);
        assert_eq!(Label::parse("u:r:t").complete(), Some("u:r:t"));
        assert_eq!(Label::parse("").complete(), None);
    }
}
