class a inherits b { }
include a
