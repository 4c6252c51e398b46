class Web { }
include web
