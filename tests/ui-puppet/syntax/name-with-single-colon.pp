include apache::mod:ssl
