cron { 'x': command => 'a', hour => 25 }
