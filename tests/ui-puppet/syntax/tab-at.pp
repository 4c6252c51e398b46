@file '/a': ensure => file
