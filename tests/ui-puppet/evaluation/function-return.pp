function f() >> String { 1 }
notice(f())
