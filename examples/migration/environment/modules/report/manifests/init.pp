# Says so when the banner has changed.
class report {
  exec { '/bin/cp /SCRATCH/motd /SCRATCH/reported':
    refreshonly => true,
  }
}
