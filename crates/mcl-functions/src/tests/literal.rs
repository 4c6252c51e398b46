//! Values from their display form.

use mcl_value::Value;

/// All values of a list without brackets.
pub(super) fn parse_all(text: &str) -> Vec<Value> {
    let mut reader = Reader { rest: text.trim() };
    let mut values = Vec::new();
    while !reader.rest.is_empty() {
        values.push(reader.value());
        reader.eat(",");
    }
    values
}

struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    fn eat(&mut self, token: &str) -> bool {
        let found = self.rest.strip_prefix(token);
        self.rest = found.unwrap_or(self.rest).trim_start();
        found.is_some()
    }

    fn value(&mut self) -> Value {
        if self.rest.starts_with('"') {
            return Value::str(self.string());
        }
        if self.eat("[") {
            let mut items = Vec::new();
            while !self.eat("]") {
                items.push(self.value());
                self.eat(",");
            }
            return items.into();
        }
        if self.eat("struct{") {
            let mut fields = Vec::new();
            while !self.eat("}") {
                let name = self.word();
                self.eat(":");
                fields.push((name, self.value()));
                self.eat(";");
            }
            return Value::strukt(fields);
        }
        if self.eat("{") {
            let mut pairs = Vec::new();
            while !self.eat("}") {
                let key = self.value();
                self.eat(":");
                pairs.push((key, self.value()));
                self.eat(",");
            }
            return Value::map(pairs);
        }
        let word = self.word();
        match word {
            "true" => true.into(),
            "false" => false.into(),
            _ if word.contains(['.', 'N', 'I']) => word.parse::<f64>().expect(word).into(),
            _ => word.parse::<i64>().expect(word).into(),
        }
    }

    fn word(&mut self) -> &'a str {
        let end = self.rest.find([',', ':', ';', ']', '}', ' ']).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        word
    }

    /// Escapes: `\n \t \r \\ \" \xNN` (a byte), `\u{NNNN}`.
    fn string(&mut self) -> Vec<u8> {
        let (mut out, mut chars) = (Vec::new(), self.rest[1..].char_indices());
        while let Some((at, c)) = chars.next() {
            match c {
                '"' => {
                    self.rest = self.rest[at + 2..].trim_start();
                    return out;
                }
                '\\' => match chars.next().map(|(_, c)| c) {
                    Some('n') => out.push(b'\n'),
                    Some('t') => out.push(b'\t'),
                    Some('r') => out.push(b'\r'),
                    Some('x') => {
                        let digits: String = chars.by_ref().take(2).map(|(_, c)| c).collect();
                        out.push(u8::from_str_radix(&digits, 16).expect("two hexadecimal digits"));
                    }
                    Some('u') => {
                        let digits: String = chars.by_ref().skip(1).map(|(_, c)| c).take_while(|c| *c != '}').collect();
                        let code = u32::from_str_radix(&digits, 16).expect("hexadecimal digits");
                        out.extend(char::from_u32(code).expect("a code point").to_string().into_bytes());
                    }
                    Some(c) => out.extend(c.to_string().into_bytes()),
                    None => break,
                },
                c => out.extend(c.to_string().into_bytes()),
            }
        }
        panic!("unterminated string");
    }
}
