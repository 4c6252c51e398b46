class a { class ::b { } }
