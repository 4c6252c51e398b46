@class { 'a': }
class a {}
