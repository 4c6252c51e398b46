type Foo Integer
