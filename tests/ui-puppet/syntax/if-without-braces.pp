if $facts['os']['family'] == 'RedHat'
  notice('x')
