class ntp { }
include npt
