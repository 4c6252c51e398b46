class a { notice($b::c) }
include a
