//! Codes of the range R.

codes! {
    R0101: "a function failed, and nothing caught the failure",
        "A function could not give a value: a division by zero, an index that a list does not have, a key that a map does \
not have, a text that is no number, an environment variable that is not set, a file that does not exist. Such a failure \
can be caught: `a <|> b` is `b` while `a` fails. It was not caught on its way to a resource, an edge, a condition or a \
loop, so the program has no result.\n\n\
Wrong:\n    $port = $ports[\"web\"]\n    file \"/etc/port\" { content => $port, }\n\n\
Right:\n    $port = $ports[\"web\"] <|> \"80\"\n    file \"/etc/port\" { content => $port, }";
    R0102: "a function stopped the program",
        "A function failed in a way that `<|>` does not catch, because going on would hide a mistake in the program: a \
pattern that is no regular expression, a template that is not well formed, a format that does not fit its arguments, a file \
of the deploy that does not exist. The message says what is wrong; correct the call, or guard it with a condition.\n\n\
Wrong: `regexp.match(\"a(\", $s)`\nRight: `regexp.match(\"a\\\\(\", $s)`";
    R0103: "the program called panic",
        "`panic` was called with `true` or with a text that is not empty. Programs do this to refuse to run where they do \
not belong.\n\n\
    panic($os != \"debian\", \"this class is for Debian\")";
    R0104: "this runtime does not have a function that the program calls",
        "The program was compiled against another version of the function library. Build it again with the `mclc` that \
belongs to this `mgmt-rt`.";
    R0105: "the program cannot be evaluated",
        "The artifact is well formed but does not make sense to the engine: a condition that is not a bool, a call with the \
wrong number of arguments, calls nested without end. The compiler makes no such artifact, so it is damaged, was made by \
another tool, or shows a defect of the compiler. Build it again; if that does not help, please report it.";

    R0106: "a function has no value yet",
        "Some functions have a value only after a while: `os.system` when its command has printed a line. Until all functions \
that the program uses have one there are no resources, because a half-known program could describe something that nobody \
wants. `mgmt-rt apply` waits, and goes on with what it had; `mgmt-rt graph` and `plan` wait for a minute unless `--wait` says \
otherwise. A command that ends without printing anything never gives a value.\n\n\
Wrong: `$x = os.system(\"touch /srv/x\")`\nRight: `$x = os.system(\"touch /srv/x; echo done\")`";

    R0201: "there is no such resource kind",
        "The program was compiled with a kind that this runtime does not have, or the kind is misspelt.\n\n\
Wrong: `fiel \"/srv/x\" {}`\nRight: `file \"/srv/x\" {}`\n\n\
`mclc doc` lists all kinds.";
    R0202: "a value does not fit into the parameter",
        "The type of the value is right, but the host keeps the parameter in a smaller representation: an 8-bit integer, an \
unsigned one, a 32-bit float. Or the value contains a function, which cannot be stored at all.\n\n\
Wrong: `test \"a\" { int8 => 300, }`\nRight: `test \"a\" { int8 => 127, }`";
    R0203: "the name of a resource cannot be used",
        "A resource is identified by its kind and its name, so the name must be a text, and not empty. An empty *list* of names \
is fine: it makes no resource.\n\n\
Wrong: `file [\"/srv/a\", \"\"] {}`\nRight: `file [\"/srv/a\"] {}`";
    R0204: "a meta parameter has a value that is not possible",
        "Meta parameters have ranges: `retry` is -1 for ever, or at most 32767; `delay` and `timeout` are milliseconds and not \
negative; `poll` is a number of seconds.\n\n\
Wrong: `Meta:retry => 100000,`\nRight: `Meta:retry => -1,`";
    R0205: "a resource is not valid",
        "The parameters of the resource do not make sense, or not together. Each kind has its own conditions; `mclc doc KIND` \
lists them. Nothing on the machine was looked at.\n\n\
Wrong: `file \"relative/path\" { state => \"exists\", }`\nRight: `file \"/absolute/path\" { state => \"exists\", }`";
    R0206: "a resource is declared twice, and not alike",
        "Kind and name identify a resource, so there can be only one. Two equal declarations are one; a `pkg` that is \
`installed` in one place and `newest` in another is `newest`; everything else that differs is a conflict.\n\n\
Wrong:\n    file \"/etc/motd\" { content => \"a\", }\n    file \"/etc/motd\" { content => \"b\", }\n\n\
Right:\n    file \"/etc/motd\" { content => \"a\", }";
    R0207: "an edge names a resource that does not exist",
        "Both ends of an edge must be resources of the program. A resource inside a branch that is not taken, or in a loop over \
an empty list, does not exist.\n\n\
Wrong:\n    pkg \"nginx\" { state => \"installed\", }\n    Pkg[\"ngnix\"] -> Svc[\"nginx\"]\n\n\
Right:\n    pkg \"nginx\" { state => \"installed\", }\n    svc \"nginx\" { state => \"running\", }\n    \
Pkg[\"nginx\"] -> Svc[\"nginx\"]";
    R0208: "the edges go round in a circle",
        "Edges say what comes first. If they lead from a resource back to itself, nothing can come first. The message names the \
resources of the circle in order; take one of the edges away.\n\n\
Wrong:\n    noop \"a\" { Before => Noop[\"b\"], }\n    noop \"b\" { Before => Noop[\"a\"], }\n\n\
Right:\n    noop \"a\" { Before => Noop[\"b\"], }\n    noop \"b\" {}";
    R0209: "a collected resource cannot be read",
        "What another host exported was written by another version, or is damaged. Let that host export it again.";
    R0210: "a value cannot be sent from this resource to that one",
        "An edge with keys, `Exec[\"a\"].stdout -> File[\"/b\"].content`, lets a value flow. The sender must be of a kind that \
sends this key and must not be hidden; the receiver must be of a kind that receives, and each of its parameters has one \
sender at most.\n\n\
Wrong:\n    Exec[\"a\"].stdout -> File[\"/f\"].content\n    Exec[\"b\"].stdout -> File[\"/f\"].content\n\n\
Right:\n    Exec[\"a\"].stdout -> File[\"/f\"].content\n    Exec[\"b\"].stdout -> File[\"/g\"].content";

    R0301: "a resource cannot tell what it needs",
        "Automatic edges order a resource after others that it needs: a file after its directory, a service after its \
package. This resource lacks what is needed to find them. Give it, or say `Meta:autoedge => false`.";
    R0302: "automatic edges close a circle",
        "An edge that was added automatically and those of the program contradict each other: the program wants a first, \
and b is something that a needs. Take the program's edge away, or exempt one of the resources:\n\n\
    file \"/srv/app/x\" { state => \"exists\", Meta:autoedge => false, }";

    R0401: "a parameter of a resource is not valid",
        "The kind of the resource does not accept a parameter's value. Most of these are found when the resources are \
built; one that arrives by send/recv is found when it is received.\n\n\
Wrong:\n    file \"/srv/x\" { mode => \"0999\", }\n\nRight:\n    file \"/srv/x\" { mode => \"0644\", }";
    R0402: "the system refused an operation on a file",
        "A system call failed while a resource was being checked or repaired: no permission, no space, a read-only file \
system, a missing directory. The message names the operation, the path and the cause. The old file is untouched. The \
resource is tried again as often as its `Meta:retry` says; resources that depend on it wait, all others go on.\n\n\
To try again for ever, every ten seconds:\n    file \"/srv/x\" { content => \"…\", Meta:retry => -1, Meta:delay => 10000, }";
    R0403: "a repair was refused because it is unsafe",
        "The machine is in a state that this resource could only change by destroying something it was not told to \
destroy, for instance a directory where a file should be. The message says which parameter allows it.\n\n\
    file \"/srv/x\" { content => \"…\", force => true, }";
    R0404: "a command failed",
        "A command of a resource ended with a non-zero status, was killed by a signal, or could not be started; or a \
service of the machine (systemd, PackageKit, the kernel) refused what the resource asked for: the message has its words. \
Commands get exactly the environment in `env` and are not run by a shell unless `shell` is given.\n\n\
Wrong: `exec \"x\" { cmd => \"echo $HOME | wc\", }`\n\
Right: `exec \"x\" { cmd => \"echo $HOME | wc\", shell => \"/bin/sh\", env => {\"HOME\" => \"/root\"}, }`";
    R0405: "something that the resource needs is not available",
        "The kind of the resource needs a service, a tool or a backend that this machine or this build does not have, or \
that is not there just now: a message bus that is down. With `Meta:retry => -1` the resource waits for it. Only this resource and those that depend on it are affected.";
    R0406: "nothing was received yet",
        "A parameter of the resource is received from another resource, and that one has not sent a value. A sender \
publishes at the end of each successful check. See whether the sender failed.";
    R0407: "a check did not end in time",
        "The check took longer than `Meta:timeout` (milliseconds) and was cancelled, or it was cancelled because the agent \
stops. A timeout counts as a failure: `Meta:retry` applies.\n\n\
    exec \"slow\" { cmd => \"/usr/bin/make\", Meta:timeout => 600000, }";
    R0408: "a resource kind panicked",
        "The implementation of a resource kind hit a defect. The resource counts as failed; the agent and all other \
resources go on. Please report it with the message.";
    R0409: "watching a resource failed",
        "The source of events of a resource ended with an error. It is started again as often as `Meta:retry` says; after \
that the resource is no longer kept in its state.";
    R0410: "the state directory cannot be used",
        "The agent keeps its state below its prefix (`--prefix`). It is in use by another agent, was written by a newer \
version, or cannot be written. Use another prefix or `--tmp-prefix`, or stop the other agent.";
    R0411: "the kernel refused more file watches",
        "The limit `fs.inotify.max_user_watches` or `fs.inotify.max_user_instances` is reached. The agent goes on and looks \
at the affected paths every few seconds instead. To be told of changes at once, raise the limit:\n\n    \
sysctl fs.inotify.max_user_watches=524288";
    R0412: "the resource graph was refused",
        "A new graph cannot be applied: it has a cycle, or a resource in it is not valid. The running graph stays in force.";
}
