if $a =~ /foo { }
