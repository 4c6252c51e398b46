//! Codes of the range P: Puppet catalogs and their translation.

codes! {
    P0101: "unreadable catalog",
        "The file is not a Puppet catalog in JSON. `mclc puppet` reads what `puppet catalog compile --render-as
rich_data_json` prints and what an agent caches. Log lines in front of the JSON are skipped.

A compile that fails may print nothing at all; look at its messages on stderr first.";
    P0102: "duplicate resource",
        "The catalog holds two resources of the same type and title. Puppet's compiler never writes such a catalog, so it
was probably edited or joined from two.";
    P0103: "dangling containment",
        "An entry of the catalog's `edges` names a resource that the catalog does not hold. The catalog was cut or edited.";
    P0104: "exported resource",
        "The resource is marked as exported. In a catalog from a server that means that this node collected it, so it is
applied. A dump of a store may also hold exported resources that nobody collected; remove those before the translation.";
    P0105: "dangling reference",
        "A `require`, `before`, `notify` or `subscribe` names a resource that the catalog does not hold. Puppet's compiler
accepts this when the other resource is virtual and never realized; the agent then fails.

    @notify { 'v': }
    notify { 'r': require => Notify['v'] }   # realize Notify['v'] as well";
    P0106: "dependency cycle",
        "The resources depend on each other in a circle, so none of them can come first. The help text lists each hop of the
shortest circle with its reason: a relationship parameter, an automatic relation of the type, or containment in a class.
Remove one of them.";
    P0107: "unreadable file",
        "The catalog or the manifest does not exist or may not be read. Check the path and the permissions.";
    P0108: "manifests do not compile",
        "Manifests are compiled to a catalog by an installed Puppet. Either `puppet` is not installed, or it refuses the
manifests; its first error is in the message. To see all of them, run `puppet parser validate` or
`puppet catalog compile` yourself.";
    P0109: "damaged graph",
        "The file is a translated catalog, but its contents contradict themselves. Translate the catalog again.";
    P0110: "no such form",
        "The intermediate result cannot be printed in the form that was asked for.";
    P0201: "approximated",
        "The resource became one of our kinds, but something of it was left out. The message says what. It is a warning:
decide whether the difference matters to you before you apply the graph.";
    P0202: "no native form",
        "The resource, or one of its attributes, has no counterpart among our kinds. By default it becomes an `exec` that
asks an installed Puppet to apply this one resource (`puppet apply`, with the resource on its standard input). With
`--puppet-fallback=error` it is an error instead: change the manifest, or move the resource to mcl.";
    P0203: "two resources would become one",
        "Two Puppet resources have different titles, but manage the same thing: two packages with one `name`, for example.
Give one of them another name or remove it.";
}
