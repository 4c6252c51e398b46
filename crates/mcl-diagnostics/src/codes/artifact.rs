//! Codes of the range A.

codes! {
    A0101: "not an artifact",
        "The file does not start with the header that every artifact has, so it is some other kind of file.\n\
         \n\
         Wrong, because the runtime has no compiler in it:\n\
         \n    mgmt-rt apply main.mcl\n\
         \n\
         Right:\n\
         \n    mclc build main.mcl -o main.bin\n    mgmt-rt apply main.bin\n";
    A0102: "artifact of another format version",
        "Artifacts carry the version of their format, and this program reads exactly one. A compiler of another release \
         made this file.\n\
         \n\
         Build the artifact again with the `mclc` of the same release as the program that reads it. Compiler and \
         runtime are released together; `mclc --version` and `mgmt-rt --version` must agree.\n";
    A0103: "truncated artifact",
        "The header says how long the artifact is, and the file is shorter or longer. Usually a copy was interrupted, or \
         the disk was full when the file was written.\n\
         \n\
         Copy the file again, or build it again with `mclc build`.\n";
    A0104: "corrupted artifact",
        "The checksum in the header does not match the content: at least one byte is not what the compiler wrote. A \
         damaged disk, a transfer in text mode, or an editor that saved the file cause this.\n\
         \n\
         Copy the file again, or build it again with `mclc build`.\n";
    A0105: "artifact of the wrong stage",
        "Each stage of the compiler writes artifacts of its own, and each command reads those of one stage.\n\
         \n\
         Wrong, because `mgmt-rt` runs function graphs and this is a typed program:\n\
         \n    mclc unify main.scoped -o main.typed\n    mgmt-rt apply main.typed\n\
         \n\
         Right:\n\
         \n    mclc fgraph main.typed -o main.bin\n    mgmt-rt apply main.bin\n\
         \n\
         `mclc inspect FILE` says of which stage a file is.\n";
    A0106: "invalid artifact",
        "Header and checksum are right, but the content breaks a rule: a length beyond the end, an index that points \
         nowhere, a cycle. No release of the compiler writes such files, so this one was made or changed by something \
         else.\n\
         \n\
         Build it again with `mclc build`, and distrust where it came from.\n";
}
