$x = lookup('nothing')
notice($x)
node default {
  include missing
  include missing::too
  include missing
}
