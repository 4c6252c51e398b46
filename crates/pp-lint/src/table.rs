//! The table of lints.

use mcl_diagnostics::Code;

/// Whether a lint is on where the command line does not name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Only where it is asked for: a matter of style.
    Off,
    /// The code probably does not do what its author wants, or not for long.
    Warning,
}

/// A lint.
#[derive(Debug, PartialEq, Eq)]
pub struct Lint {
    /// The code.
    pub code: Code,
    /// The name that `puppet-lint` uses, also in comments.
    pub name: &'static str,
    /// Whether it is on.
    pub level: Level,
}

const fn style(code: Code, name: &'static str) -> Lint {
    Lint { code, name, level: Level::Off }
}

const fn warning(code: Code, name: &'static str) -> Lint {
    Lint { code, name, level: Level::Warning }
}

/// All lints, in the order of their codes.
pub static LINTS: &[Lint] = &[
    style(Code::W0301, "trailing_whitespace"),
    style(Code::W0302, "hard_tabs"),
    style(Code::W0303, "140chars"),
    style(Code::W0304, "2sp_soft_tabs"),
    style(Code::W0305, "arrow_alignment"),
    style(Code::W0306, "arrow_on_right_operand_line"),
    style(Code::W0307, "star_comments"),
    style(Code::W0308, "trailing_newline"),
    style(Code::W0309, "documentation"),
    style(Code::W0310, "double_quoted_strings"),
    style(Code::W0311, "only_variable_string"),
    style(Code::W0312, "variables_not_enclosed"),
    warning(Code::W0313, "variable_contains_dash"),
    warning(Code::W0314, "quoted_booleans"),
    style(Code::W0315, "unquoted_resource_title"),
    style(Code::W0316, "ensure_first_param"),
    warning(Code::W0317, "unquoted_file_mode"),
    warning(Code::W0318, "file_mode"),
    style(Code::W0319, "ensure_not_symlink_target"),
    warning(Code::W0320, "puppet_url_without_modules"),
    style(Code::W0321, "selector_inside_resource"),
    style(Code::W0322, "unsafe_interpolations"),
    warning(Code::W0323, "case_without_default"),
    style(Code::W0324, "unquoted_string_in_case"),
    style(Code::W0325, "unquoted_node_name"),
    style(Code::W0326, "right_to_left_relationship"),
    warning(Code::W0327, "leading_zero"),
    style(Code::W0328, "relative_classname_inclusion"),
    warning(Code::W0329, "nested_classes_or_defines"),
    warning(Code::W0330, "inherits_across_namespaces"),
    style(Code::W0331, "parameter_order"),
    warning(Code::W0332, "autoloader_layout"),
    style(Code::W0333, "top_scope_facts"),
    warning(Code::W0334, "legacy_facts"),
    style(Code::W0335, "code_on_top_scope"),
    warning(Code::W0336, "variable_scope"),
    warning(Code::W0337, "unused_variables"),
    warning(Code::W0338, "unused_parameters"),
    style(Code::W0339, "single_quote_string_with_variables"),
    style(Code::W0340, "80chars"),
    style(Code::W0341, "variable_is_lowercase"),
    style(Code::W0342, "topscope_variable"),
    style(Code::W0343, "anchor_resource"),
    style(Code::W0344, "exec_idempotency"),
    style(Code::W0345, "file_ensure"),
    style(Code::W0346, "trailing_comma"),
    warning(Code::W0347, "version_comparison"),
    style(Code::W0348, "optional_default"),
    style(Code::W0349, "params_empty_string_assignment"),
    style(Code::W0350, "parameter_types"),
    style(Code::W0351, "parameter_documentation"),
    style(Code::W0352, "lookup_in_parameter"),
    style(Code::W0354, "strict_indent"),
    style(Code::W0355, "manifest_whitespace_opening_brace_before"),
    style(Code::W0356, "manifest_whitespace_opening_brace_after"),
    style(Code::W0357, "manifest_whitespace_closing_brace_before"),
    style(Code::W0358, "manifest_whitespace_closing_brace_after"),
    style(Code::W0359, "manifest_whitespace_opening_bracket_before"),
    style(Code::W0360, "manifest_whitespace_opening_bracket_after"),
    style(Code::W0361, "manifest_whitespace_closing_bracket_before"),
    style(Code::W0362, "manifest_whitespace_closing_bracket_after"),
    style(Code::W0363, "manifest_whitespace_arrows_single_space_after"),
    style(Code::W0364, "manifest_whitespace_class_name_single_space_before"),
    style(Code::W0365, "manifest_whitespace_class_name_single_space_after"),
    style(Code::W0366, "manifest_whitespace_two_empty_lines"),
    style(Code::W0367, "manifest_whitespace_newline_beginning_of_file"),
    style(Code::W0368, "manifest_whitespace_double_newline_end_of_file"),
    style(Code::W0369, "manifest_whitespace_missing_newline_end_of_file"),
    style(Code::W0370, "unquoted_string_in_selector"),
    style(Code::W0371, "resource_reference_with_unquoted_title"),
    style(Code::W0372, "class_inherits_from_params_class"),
    style(Code::W0373, "relative_classname_reference"),
    warning(Code::W0374, "variable_reassignment"),
    warning(Code::W0375, "unknown_attribute"),
    warning(Code::W0376, "duplicate_declaration"),
    warning(Code::W0377, "invalid_value"),
    warning(Code::W0378, "misspelled_ensure"),
    warning(Code::W0379, "missing_parameter"),
    warning(Code::W0380, "unknown_definition"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lints_are_sorted_and_their_names_differ() {
        assert!(LINTS.is_sorted_by(|a, b| a.code.name() < b.code.name()));
        for (at, lint) in LINTS.iter().enumerate() {
            assert!(LINTS[..at].iter().all(|other| other.name != lint.name), "{}", lint.name);
        }
    }

    #[test]
    fn lints_are_documented() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/puppet-check.md");
        let text = std::fs::read_to_string(path).expect("the documentation");
        let documented: Vec<&str> =
            text.lines().filter_map(|line| line.strip_prefix("| `")?.rsplit_once(" | ").map(|(row, _)| row)).collect();
        let row = |lint: &Lint| {
            let level = if lint.level == Level::Warning { "on" } else { "off" };
            format!("{}` | {} | {level}", lint.name, lint.code.name())
        };
        assert_eq!(documented, LINTS.iter().map(row).collect::<Vec<String>>());
    }
}
