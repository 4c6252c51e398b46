$share = 0 / 0.0
notify { 'share': message => ["${share}", $share] }
