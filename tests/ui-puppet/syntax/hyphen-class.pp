class my-web { }
include my-web
