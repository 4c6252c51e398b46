//! Codes of the range M: the hand-over between mcl and Puppet.

codes! {
    M0101: "hand-over without a partner",
        "Where mcl and Puppet meet, both sides declare the point: mcl a `noop \"puppet_NAME\" {}`, Puppet an empty class
`mgmt_NAME` that is included. Here one of the two is missing or has another name.

    # main.mcl
    noop \"puppet_java\" {}

    # site.pp
    class mgmt_java { }
    include mgmt_java

A class that is defined but never included is not in the catalog. With `--merge-unmatched=warn` the points stay apart.";
    M0102: "hand-over without a name",
        "After `puppet_` or `mgmt_` a name must follow: both points of a pair are found by it.";
    M0103: "hand-over declared twice",
        "Two noops of the mcl program are the same hand-over point. Names are compared in lower case, since names of Puppet
classes are.";
    M0104: "hand-over class with contents",
        "The start and the end of a hand-over class become one vertex, so nothing can lie between them. Move its contents to
another class. To let mcl work between two points of the Puppet code, use two classes:

    class mgmt_java_begin { }
    class mgmt_java_end { }
    Class['storage'] -> Class['mgmt_java_begin']
    Class['mgmt_java_end'] -> Class['application']";
    M0105: "hand-over name is taken",
        "The merged point is called `noop[NAME]`, but another resource of that name exists on one of the sides.";
    M0106: "declared on both sides",
        "The same resource is declared in mcl and in Puppet. If both ask for exactly the same it is one resource and this is a
warning; if they differ it is an error, since each would undo the other's work.";
    M0107: "cycle across both sides",
        "Each side is free of cycles, but together they are not: one side orders A before B, the other B before A, through
hand-over points. The help text names where each member of the shortest cycle comes from.";
    M0108: "upper case in a hand-over name",
        "Names of Puppet classes are lower-case, so the name after `puppet_` is compared in lower case as well.";
}
