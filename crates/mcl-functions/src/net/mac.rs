//! MAC addresses of six bytes.

/// Formats an address in lower case with the given separator.
pub(super) fn format(text: &str, separator: char) -> Result<String, String> {
    if text.len() != 17 {
        return Err(format!("invalid MAC address length: {text}"));
    }
    let invalid = || format!("address {text}: invalid MAC address");
    let given = char::from(text.as_bytes()[2]);
    if given != ':' && given != '-' {
        return Err(invalid());
    }
    let pairs: Vec<&str> = text.split(given).collect();
    let pair = |pair: &&str| pair.len() == 2 && pair.bytes().all(|b| b.is_ascii_hexdigit());
    if pairs.len() != 6 || !pairs.iter().all(pair) {
        return Err(invalid());
    }
    Ok(pairs.join(separator.encode_utf8(&mut [0; 4])).to_ascii_lowercase())
}
