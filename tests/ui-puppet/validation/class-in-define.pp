define foo() { class bar { } }
