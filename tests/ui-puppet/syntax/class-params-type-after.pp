class web($port: Integer) { }
