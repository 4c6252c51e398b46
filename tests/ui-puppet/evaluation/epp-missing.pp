file { '/a': content => epp('mod/x.epp') }
