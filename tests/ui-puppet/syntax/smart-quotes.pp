notice(“hello”)
