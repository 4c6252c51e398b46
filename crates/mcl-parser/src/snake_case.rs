//! Names in the case of mcl.

/// Returns the name that mcl accepts in place of one with capitals: `to_upper` for `ToUpper`, `foo` for `FOO`.
pub fn snake_case(name: &str) -> String {
    let mut snake = String::with_capacity(name.len() + 4);
    let mut is_after_word = false;
    for c in name.chars() {
        if c.is_ascii_uppercase() && is_after_word {
            snake.push('_');
        }
        is_after_word = c.is_ascii_lowercase() || c.is_ascii_digit();
        snake.push(c.to_ascii_lowercase());
    }
    snake
}
