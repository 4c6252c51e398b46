//! Codes of the range E05.

codes! {
    E0501: "module not found",
        "No system module of this name exists: nothing that is built in has this prefix. A name without a scheme, without a \
slash at the end and without `.mcl` always means a system module, even if a local directory of that name exists.\n\
\n\
Wrong:\n\
\n    import \"lib\"          # a directory beside this file\n\
\n\
Right:\n\
\n    import \"lib/\"         # a directory\n    import \"lib.mcl\"      # a file\n    import \"golang/strings\"\n\
\n\
`mclc doc` lists the system modules.";

    E0502: "import name is not valid",
        "The name between the quotes of an import must be a clean relative path or a URL. It may not be empty, start with \
`/`, or contain `./`, `//` or `x/../`. The last part gives the alias, so it may not begin or end with a dash or an \
underscore.\n\
\n\
Wrong:\n\
\n    import \"./lib.mcl\"\n    import \"/etc/mcl/lib.mcl\"\n    import \"web-\"\n\
\n\
Right:\n\
\n    import \"lib.mcl\"\n    import \"../lib.mcl\"";

    E0503: "imported file cannot be read",
        "The file or directory that the import names does not exist or cannot be read. The path counts from the directory \
of the file that contains the import (more exactly: from the directory of its module's main file).\n\
\n\
Wrong, in `site/main.mcl`:\n\
\n    import \"site/lib.mcl\"\n\
\n\
Right:\n\
\n    import \"lib.mcl\"";

    E0504: "directory is not a module",
        "A directory can be imported, or given on the command line, when it holds a `metadata.yaml` (which may be empty) or \
a `main.mcl`. This one has neither.";

    E0505: "remote module is not there",
        "Checking and building never fetch a module: it must lie in a module directory, where `mclc get` puts it. These are, in \
order, the `path` of the importing module's `metadata.yaml`, those of the modules that import it (up to one with \
`parentpathblock: true`), and the directory of `--module-path` or MGMT_MODULE_PATH. Below one of them the host and path of \
the URL lead to the module, which must have a `metadata.yaml`.\n\
\n\
    import \"git://git.example/ops/mgmt-web\"\n\
\n\
is found at `MODULES/git.example/ops/mgmt-web/metadata.yaml`. To fetch all modules that a program imports:\n\
\n    mclc get site/ --module-path MODULES\n\
\nThat is, for each of them:\n\
\n    git clone --recursive git://git.example/ops/mgmt-web MODULES/git.example/ops/mgmt-web";

    E0506: "import leaves the module",
        "An import may go up with `../`, but not out of the tree it belongs to. For a program the tree is its directory, or \
the nearest directory above it with a `metadata.yaml`; for a remote module it is the directory of its own \
`metadata.yaml`, also through symbolic links. So a module that somebody else wrote can never read the files of the machine \
that compiles it.\n\
\n\
Put an (empty) `metadata.yaml` at the top of the tree to say where it begins.";

    E0507: "metadata.yaml is not valid",
        "`metadata.yaml` describes a module. All keys are optional, unknown ones are ignored, and an empty file means all \
defaults:\n\
\n    main: main.mcl          # where the module starts; no slash at either end\n    path: vendor/           # where \
remote modules are found; ends in a slash\n    files: files/           # data for deploy.readfile; ends in a slash\n    \
license: MIT\n    parentpathblock: false\n\
\n\
`path` and `files` may be empty; none of the three may be absolute or leave the module.";

    E0508: "module is imported twice",
        "The same name is imported twice into one list of statements. Remove one of the two.";

    E0509: "import alias is taken",
        "Two imports of one list of statements would have the same alias. Give one of them another name:\n\
\n    import \"strings\"\n    import \"golang/strings\" as golang_strings";

    E0510: "recursive import",
        "Files may not import each other in a circle. Move what both need to a third file.";

    E0511: "statement is not allowed in a module",
        "At its top level an imported file may only import and define: `import`, bind, `func` and `class`. Resources, \
edges, conditions and loops belong into a class, which the importing program includes.\n\
\n\
Wrong, in `lib.mcl`:\n\
\n    file \"/etc/motd\" { content => \"hi\", }\n\
\n\
Right:\n\
\n    class motd() {\n        file \"/etc/motd\" { content => \"hi\", }\n    }";

    E0512: "imports collide",
        "Two imports bring the same name. Import at least one of them under an alias instead of `*`.";

    E0513: "remote module cannot be fetched",
        "`mclc get` could not put the module of this import into the module directory. The message ends with what git or \
the system said. What is imported must be a git repository with a `metadata.yaml` (which may be empty) in its root, at an \
address with one of the schemes https, http, ssh and git; `git:///PATH` is a repository on this machine.\n\
\n\
Wrong:\n\
\n    import \"ftp://git.example/ops/mgmt-web\"\n    import \"https://git.example/ops/mgmt-web/tree/main/sub/\"   # a \
page, not a repository\n\
\n\
Right:\n\
\n    import \"https://git.example/ops/mgmt-web\"\n\
\n\
git never asks for a password here; what `git clone ADDRESS` does without asking, with a key or a credential helper, works \
for `mclc get` too.";
}
