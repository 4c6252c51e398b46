file { '/a': ensure => file }
file { '/a': ensure => absent }
package { 'x': }
package { 'x': ensure => absent }
