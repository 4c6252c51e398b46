//! Methods of other languages, and the functions of mcl that do the same.

/// Returns how mcl spells a call of a method, with `receiver` as the value that it is called on; `None` for methods that no
/// function corresponds to. The names are those of Python, Ruby, JavaScript, Go and Terraform.
#[must_use]
pub fn call_for_method(method: &str, receiver: &str) -> Option<String> {
    let call = match method.to_ascii_lowercase().as_str() {
        "len" | "length" | "size" | "count" => "`len($)`",
        "upper" | "to_upper" | "toupper" | "touppercase" | "upcase" => {
            "`strings.to_upper($)` of the module \"strings\""
        }
        "lower" | "to_lower" | "tolower" | "tolowercase" | "downcase" => {
            "`strings.to_lower($)` of the module \"strings\""
        }
        "strip" | "trim" | "chomp" | "trim_space" | "trimspace" => "`strings.trim_space($)` of the module \"strings\"",
        "split" => "`strings.split($, …)` of the module \"strings\"",
        "join" => "`strings.join($list, \"separator\")` of the module \"golang/strings\"",
        "replace" | "replace_all" | "replaceall" | "gsub" | "sub" => {
            "`strings.replace_all($, …, …)` of the module \"strings\""
        }
        "startswith" | "starts_with" | "start_with" | "has_prefix" => {
            "`strings.has_prefix($, …)` of the module \"strings\""
        }
        "endswith" | "ends_with" | "end_with" | "has_suffix" => "`strings.has_suffix($, …)` of the module \"strings\"",
        "contains" | "includes" | "include" | "has" => {
            "`… in $` for a list, `strings.contains($, …)` of the module \"strings\" for a string"
        }
        "match" | "matches" => "`regexp.match(\"pattern\", $)` of the module \"regexp\"",
        "map" | "collect" => "`iter.map($, func($x) { … })` of the module \"iter\"",
        "filter" | "select" => "`iter.filter($, func($x) { … })` of the module \"iter\"",
        "reduce" | "fold" => "`iter.reduce($, func($a, $b) { … })` of the module \"iter\"",
        "flatten" => "`iter.flatten($)` of the module \"iter\"",
        "each" | "foreach" => "the statement `for $index, $value in $ { … }`",
        "keys" => "`map.keys($)` of the module \"map\"",
        "values" => "`map.values($)` of the module \"map\"",
        "get" | "fetch" | "dig" => "`$[…] <|> …`, with the value to use if there is none",
        "append" | "push" | "concat" | "extend" | "add" => "`list.concat($, […])` of the module \"list\"",
        "format" => "`fmt.printf($, …)` of the module \"fmt\"",
        "to_s" | "tostring" | "to_string" | "string" | "str" => "`fmt.printf(\"%v\", $)` of the module \"fmt\"",
        "to_i" | "toint" | "to_int" | "parseint" => "`convert.str_to_int($)` of the module \"convert\"",
        _ => return None,
    };
    // `$list`, `$x`, `$a` and `$b` are variables of the example; a lone `$` is the receiver.
    let mut out = String::with_capacity(call.len() + receiver.len());
    let mut chars = call.chars().peekable();
    while let Some(c) = chars.next() {
        if c == '$' && !chars.peek().is_some_and(char::is_ascii_alphabetic) {
            out.push_str(receiver);
        } else {
            out.push(c);
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::call_for_method;

    #[test]
    fn the_receiver_becomes_an_argument() {
        assert_eq!(call_for_method("length", "$l").as_deref(), Some("`len($l)`"));
        assert_eq!(
            call_for_method("toUpperCase", "\"a\"").as_deref(),
            Some("`strings.to_upper(\"a\")` of the module \"strings\"")
        );
        assert_eq!(
            call_for_method("map", "$l").as_deref(),
            Some("`iter.map($l, func($x) { … })` of the module \"iter\"")
        );
        assert_eq!(call_for_method("frobnicate", "$l"), None);
    }
}
