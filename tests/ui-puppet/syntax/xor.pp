if true xor false { }
