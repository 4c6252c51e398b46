$package_name = 'ntp'
package { $pakage_name: ensure => installed }
