define site($port) {
  $limit = $port * 'two'
  notice($limit)
  file { "/srv/${title}": contents => $limit }
}
site { ['a', 'b', 'c']: port => 80 }
site { 'd': }
