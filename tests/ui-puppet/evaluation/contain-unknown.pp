class a { contain b }
include a
