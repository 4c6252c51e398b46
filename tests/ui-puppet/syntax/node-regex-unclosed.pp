node /^web { }
