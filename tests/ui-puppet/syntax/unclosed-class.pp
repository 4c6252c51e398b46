class web {
  package { 'nginx': ensure => installed }

include web
