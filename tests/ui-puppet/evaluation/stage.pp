class { 'a': stage => pre }
class a { }
