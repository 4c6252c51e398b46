$users = ['a', 'b']
$users.each |u| {
  user { $u: }
}
