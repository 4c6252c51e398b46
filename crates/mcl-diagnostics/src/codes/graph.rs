//! Codes of the range E08.

codes! {
    E0801: "meta parameter set twice",
        "A `Meta` struct sets every meta parameter of its resource, so no other line may set one, and there can be only one \
         such struct.\n\
         \n\
         Wrong, because `noop` is set twice:\n\
         \n    file \"/etc/motd\" {\n        Meta => $defaults,\n        Meta:noop => true,\n    }\n\
         \n\
         Right, with lines only:\n\
         \n    file \"/etc/motd\" {\n        Meta:noop => true,\n        Meta:retry => 3,\n    }\n";
    E0802: "program too large",
        "Each `include` copies the statements of its class. Classes that include others several times, which include \
         others several times, multiply, and a few lines can ask for millions of resources.\n\
         \n\
         Wrong, because forty of these ask for 2^40 resources:\n\
         \n    class c1($p) {\n        include c0($p + \"a\")\n        include c0($p + \"b\")\n    }\n\
         \n\
         Right, a list of what is really needed:\n\
         \n    for $i, $name in $names {\n        include c0($name)\n    }\n";
    E0803: "inconsistent typed program",
        "The input of the graph stage says two different things about the same name or type. The compiler's own stages \
         never produce this, so the file was made or changed by something else, or there is an error in the compiler.\n\
         \n\
         Compile from the source again: `mclc build main.mcl -o main.bin`. If it happens again, report it with the \
         program.\n";
    E0804: "type too deep",
        "A value of the program is a list of lists of lists and so on, hundreds of levels deep (a struct counts three times,          a map twice, a function four times). The runtime does not take such values.\n\
         \n\
         Wrong, when it goes on like this:\n\
         \n    $a = [1,]\n    $b = [$a,]\n    $c = [$b,]\n\
         \n\
         Right:\n\
         \n    $all = [1, 2, 3,]\n";
}
