//! Calls of the functions through a host that does nothing but write down what is asked of it.

mod blocks;
mod cases;
mod host;
mod hostile;
mod stdlib;
mod table;
