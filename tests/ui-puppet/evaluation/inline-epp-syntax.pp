$x = inline_epp('<% if true { %>')
