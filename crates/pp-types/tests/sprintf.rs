//! `sprintf` against what Ruby's `format` prints.

use pp_types::{Hash, Value, sprintf};

fn check(format: &str, arguments: &[Value], expected: &str) {
    match sprintf(format, arguments) {
        Ok(found) => assert_eq!(found, expected, "{format} of {arguments:?}"),
        Err(error) => panic!("{format}: {error}"),
    }
}

fn check_error(format: &str, arguments: &[Value], expected: &str) {
    let error = sprintf(format, arguments).expect_err(format);
    assert_eq!(error.message, expected);
}

#[test]
fn single_arguments() {
    check("%d", &[5_i64.into()], "5");
    check("%05d", &[Value::from(-5_i64)], "-0005");
    check("%+d", &[5_i64.into()], "+5");
    check("% d", &[5_i64.into()], " 5");
    check("%x", &[255_i64.into()], "ff");
    check("%#x", &[255_i64.into()], "0xff");
    check("%x", &[Value::from(-255_i64)], "..f01");
    check("%#o", &[8_i64.into()], "010");
    // The prefix of an octal number is one of its digits.
    check("%#.5o|%#.1o|%#05o|%#.3o", &[2_i64.into(), 2_i64.into(), 2_i64.into(), 8_i64.into()], "00002|02|00002|010");
    check("%#o|%#.0o|%#.2o", &[0_i64.into(), 0_i64.into(), 9_i64.into()], "0|0|011");
    check("%b", &[Value::from(-5_i64)], "..1011");
    check("%08b", &[Value::from(-11_i64)], "..110101");
    check("%.10b", &[Value::from(-11_i64)], "..11110101");
    check("%08x", &[Value::from(-1_i64)], "..ffffff");
    check("%+x", &[Value::from(-255_i64)], "-ff");
    check("%.3d", &[5_i64.into()], "005");
    check("%-5d|", &[5_i64.into()], "5    |");
    check("%5s|", &["é".into()], "    é|");
    check("%-5s|", &["ab".into()], "ab   |");
    check("%.2s", &["abc".into()], "ab");
    check("%c", &[65_i64.into()], "A");
    check("%e", &[Value::from(12345.678)], "1.234568e+04");
    check("%.0e", &[Value::from(15.0)], "2e+01");
    check("%E", &[Value::from(0.00012)], "1.200000E-04");
    check("%g", &[Value::from(100000.0)], "100000");
    check("%g", &[Value::from(10000000000.0)], "1e+10");
    check("%g", &[Value::from(0.0001)], "0.0001");
    check("%#g", &[Value::from(1.5)], "1.50000");
    check("%G", &[Value::from(3.14259e-05)], "3.14259E-05");
    check("%f", &[Value::from(0.3333333333333333)], "0.333333");
    check("%.10f", &[Value::from(0.1)], "0.1000000000");
    check("%8.2f", &[Value::from(3.14259)], "    3.14");
    check("%-8.2f|", &[Value::from(3.14259)], "3.14    |");
    check("%08.2f", &[Value::from(-3.14259)], "-0003.14");
    check("%a", &[Value::from(42.0)], "0x1.5p+5");
    check("%a", &[Value::from(0.1)], "0x1.999999999999ap-4");
    check("%.2a", &[Value::from(1.999)], "0x1.00p+1");
    check("%a", &[Value::from(5e-324)], "0x1p-1074");
    check("%A", &[Value::from(-1.5)], "-0X1.8P+0");
    check("%s", &[Value::array(vec![1_i64.into(), "a".into(), Value::Undef])], "[1, \"a\", nil]");
    check("%p", &["a\"b".into()], "\"a\\\"b\"");
    check("%%", &[0_i64.into()], "%");
    check("%d", &["0x1f".into()], "31");
    check("%d", &["0b11".into()], "3");
    check("%f", &["1.5".into()], "1.500000");
    check("%d", &[Value::from(3.99)], "3");
    check("%d", &[Value::from(-3.99)], "-3");
    check("%.3g", &[Value::from(1234567.0)], "1.23e+06");
    check("%g", &[Value::from(123456789.0)], "1.23457e+08");
    check("%5.1f", &[Value::from(2.25)], "  2.2");
    check("%.0f", &[Value::from(0.5)], "0");
    check("%.0f", &[Value::from(1.5)], "2");
    check("%x", &[255_i64.into()], "ff");
    check("%o", &[Value::from(-8_i64)], "..70");
    check("%X", &[Value::from(-255_i64)], "..F01");
    check("%#b", &[5_i64.into()], "0b101");
    check("%#b", &[0_i64.into()], "0");
    check("%e", &[Value::from(0.0)], "0.000000e+00");
    check("%g", &[Value::from(0.0)], "0");
    check("%+.1e", &[Value::from(1.0e+100)], "+1.0e+100");
}

#[test]
fn names_positions_and_stars() {
    let named = Value::hash(Hash::from_iter([("a".into(), 5_i64.into()), ("b".into(), "x".into())]));
    check("%<a>05d %{b}", std::slice::from_ref(&named), "00005 x");
    check("%2$s %1$s", &["a".into(), "b".into()], "b a");
    check("%*d|%-*d|", &[4_i64.into(), 5_i64.into(), 4_i64.into(), 5_i64.into()], "   5|5   |");
    check("%.*f", &[2_i64.into(), 1.5.into()], "1.50");
    check_error("%<c>d", &[named], "key<c> not found");
}

#[test]
fn errors() {
    check_error("%d", &[], "too few arguments");
    check_error("%d", &["abc".into()], "invalid value for Integer(): \"abc\"");
    check_error("%d", &[Value::Undef], "can't convert nil into Integer");
    check_error("%f", &["x".into()], "invalid value for Float(): \"x\"");
    check_error("%y", &[1_i64.into()], "malformed format string - %y");
    check_error("100%", &[], "incomplete format specifier; use %% (double %) instead");
    check_error("%99999999999d", &[1_i64.into()], "width too big");
    check_error("%999999999d", &[1_i64.into()], "width too big");
    check_error("%<a", &[1_i64.into()], "malformed name - unmatched parenthesis");
}
