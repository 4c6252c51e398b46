class a { fail("no support for ${facts['os']['family']}") }
include a
