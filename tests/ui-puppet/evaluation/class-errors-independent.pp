class a { fil { 'x': } }
class b { notice(1 + 'x') }
class c { file { '/a': ensur => 1 } }
include a
include b
include c
