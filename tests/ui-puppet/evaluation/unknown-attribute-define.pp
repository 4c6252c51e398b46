define foo($port) { }
foo { 'a': prot => 1 }
