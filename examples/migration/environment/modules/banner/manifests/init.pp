# The text that users see when they log in.
class banner (
  String $text,
) {
  file { '/SCRATCH/motd':
    ensure  => file,
    content => template('banner/motd.erb'),
  }
}
