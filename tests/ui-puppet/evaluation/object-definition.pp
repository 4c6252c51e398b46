type Base = Object[{ attributes => { a => Numeric } }]
type Sub = Object[{ parent => Base, attributes => { a => String } }]
notice(Sub('x'))
