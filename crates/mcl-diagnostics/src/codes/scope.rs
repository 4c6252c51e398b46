//! Codes of the range E06.

codes! {
    E0601: "unknown variable",
        "No variable of that name can be seen from here. A variable is visible in the list of statements that binds it, above \
and below the bind, and in everything inside that list: branches, loops, classes, functions. It is not visible outside.\n\
\n\
Wrong:\n\
\n    if true {\n        $port = 80\n    }\n    print \"p\" { msg => \"${port}\", }\n\
\n\
Right:\n\
\n    $port = if true { \"80\" } else { \"81\" }\n    print \"p\" { msg => \"${port}\", }\n\
\n\
What a class binds is reached through an alias: `include c as i` makes `$i.port`.";

    E0602: "unknown function",
        "No function of that name can be seen from here. `f(…)` calls what `func f` defines, a built-in function, or a function \
of an imported module: `import \"strings\"` makes `strings.to_upper(…)`. It never calls a variable; a variable that holds a \
function is called with its dollar sign.\n\
\n\
Wrong:\n\
\n    $double = func($n) { $n + $n }\n    print \"p\" { msg => double(\"a\"), }\n\
\n\
Right:\n\
\n    $double = func($n) { $n + $n }\n    print \"p\" { msg => $double(\"a\"), }";

    E0603: "unknown function value",
        "`$f(…)` calls the function that the variable `$f` holds, and no such variable can be seen from here. A function that was \
defined with `func f` is called without the dollar sign.\n\
\n\
Wrong:\n\
\n    func double($n) { $n + $n }\n    print \"p\" { msg => $double(\"a\"), }\n\
\n\
Right:\n\
\n    func double($n) { $n + $n }\n    print \"p\" { msg => double(\"a\"), }";

    E0604: "unknown class",
        "No class of that name can be seen from here. A class inside another class is reached through an alias:\n\
\n    class outer {\n        class inner {}\n    }\n    include outer as o\n    include o.inner\n\
\n\
A class of an imported file is reached through the alias of the import: `include lib.c`.";

    E0605: "wrong number of class arguments",
        "An include gives one argument for each parameter of the class.\n\
\n    class greet($name, $greeting) {}\n    include greet(\"world\", \"hello\")";

    E0606: "duplicate definition",
        "A list of statements defines each variable, each function and each class once. mcl has no assignment: a name stands for \
one value in its whole list, whatever the order of the statements.\n\
\n\
Wrong:\n\
\n    $port = 80\n    $port = $port + 1\n\
\n\
Right:\n\
\n    $port = 80\n    $next_port = $port + 1\n\
\n\
An inner list (a branch, a loop, a class) may define the name anew.";

    E0607: "duplicate alias",
        "The alias of an include or import is used once in a list of statements. Choose another one.\n\
\n    include c(1) as first\n    include c(2) as second";

    E0608: "circular definition",
        "A definition may not use itself, neither directly nor through others. There is no recursion in mcl: not of variables, \
not of functions, not of classes; a condition that would stop it does not help.\n\
\n\
Wrong:\n\
\n    func sum($l, $n) { if $n == 0 { 0 } else { $l[$n - 1] + sum($l, $n - 1) } }\n\
\n\
Right:\n\
\n    import \"iter\"\n    func sum($l) { iter.reduce($l, func($a, $b) { $a + $b }, 0) }\n\
\n\
A variable of an inner list hides the outer one from its own value: write `$m = $n + 1`, not `$n = $n + 1`.";

    E0609: "duplicate parameter",
        "Each parameter of a function or class has a name of its own.\n\
\n    func f($a, $a) { $a }    # wrong\n\
    func f($a, $b) { $a }    # right";
}
