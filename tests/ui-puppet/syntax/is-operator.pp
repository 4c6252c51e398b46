if 1 is Integer { }
