class web { }
include web
notify { 'a': require => Class[Web] }
