$family = $facts['os']['name']['family']
