//! What tests of programs say about the machine.

use std::collections::BTreeMap;

use mcl_value::Value;

use crate::{AnsweredCall, Answers, FunctionError, Origin, Purity, all_functions, function};

fn call(answers: &Answers, name: &str, args: &[Value]) -> Result<Value, FunctionError> {
    let ty = function(name).and_then(|function| function.declared_type()).expect("a function with one type");
    answers.call(name, &ty, args)
}

#[test]
fn functions_that_are_not_pure_need_an_answer_unless_they_depend_on_the_program_only() {
    let others: Vec<&str> =
        all_functions().filter(|f| f.purity != Purity::Pure && f.origin == Origin::Program).map(|f| f.name).collect();
    let expected = [
        "history",
        "panic",
        "panic_debug",
        "datetime.format",
        "datetime.hour",
        "datetime.print",
        "datetime.weekday",
        "deploy.abspath",
        "deploy.file_exists",
        "deploy.readfile",
        "deploy.readfileabs",
        "example.errorbool",
        "net/http.response",
        "secret.nonsensitive",
        "secret.sensitive",
        "test.one_instance_b",
        "test.one_instance_d",
        "test.one_instance_f",
        "test.one_instance_h",
        "value.get",
        "value.get_bool",
        "value.get_float",
        "value.get_int",
        "value.get_str",
    ];
    assert_eq!(others, expected);
    assert!(all_functions().all(|f| f.purity != Purity::Pure || f.origin == Origin::Program));
}

#[test]
fn missing_and_mismatched_answers_say_what_the_test_has_to_give() {
    let given = AnsweredCall { function: "os.uid".to_owned(), arguments: vec!["a".into()], result: 5.into() };
    let answers = Answers { calls: vec![given], ..Answers::default() };
    let error = |name: &str, argument: &str| match call(&answers, name, &[argument.into()]) {
        Err(FunctionError::Unanswered { message, directive }) => (message, directive),
        other => panic!("{other:?}"),
    };
    assert_eq!(
        error("os.uid", "a").0,
        "the test gives a wrong value for `os.uid(\"a\")`: expected a value of type str, found 5"
    );
    assert_eq!(error("os.uid", "b").1, "# test: call os.uid(\"b\") = …");
    assert_eq!(error("os.file_exists", "/a").1, "# test: file \"/a\" = \"…\"");
}

#[test]
fn directories_of_given_files_exist() {
    let files = BTreeMap::from([("/a/b".to_owned(), Some(String::new())), ("/c/d".to_owned(), None)]);
    let answers = Answers { files, ..Answers::default() };
    let exists = |path: &str| call(&answers, "os.file_exists", &[path.into()]).ok();
    for (path, expected) in
        [("/a/b", Some(true)), ("/a", Some(true)), ("/a/", Some(true)), ("/c/d", Some(false)), ("/c", None)]
    {
        assert_eq!(exists(path), expected.map(Value::Bool), "{path}");
    }
    assert!(matches!(call(&answers, "os.readfile", &["/c/d".into()]), Err(FunctionError::Catchable(_))));
    assert!(matches!(call(&answers, "golang/os.read_file", &["/c/d".into()]), Err(FunctionError::Fatal(_))));
}
