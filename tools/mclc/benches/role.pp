# A server with a web site, a database and what goes with them: ten public modules.
include stdlib

class { 'ntp':
  servers => ['0.pool.example.com', '1.pool.example.com'],
}

class { 'apache':
  default_vhost => false,
  mpm_module    => 'prefork',
}
['www', 'shop', 'wiki'].each |$site| {
  apache::vhost { "${site}.example.com":
    port          => 443,
    ssl           => true,
    docroot       => "/srv/${site}",
    serveraliases => ["${site}.example.org"],
    directories   => [{ 'path' => "/srv/${site}", 'allow_override' => ['All'] }],
  }
}

class { 'mysql::server':
  root_password    => 's3cret',
  override_options => { 'mysqld' => { 'max_connections' => 200 } },
}
mysql::db { 'shop':
  user     => 'shop',
  password => 's3cret',
}

class { 'memcached':
  max_memory => 256,
}
class { 'redis': }
class { 'postfix': }

include xinetd
class { 'ssh::server': }
include rsync
include haproxy
