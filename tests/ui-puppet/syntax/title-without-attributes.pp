Package { ensure => latest }
package { 'a' }
