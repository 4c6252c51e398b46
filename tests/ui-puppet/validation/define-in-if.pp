if true { define foo() { } }
