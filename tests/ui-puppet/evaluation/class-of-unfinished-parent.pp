class k0 {
  contain k2
}
class k1 inherits k0 {
}
class k2 inherits k1 {
}
include k1
