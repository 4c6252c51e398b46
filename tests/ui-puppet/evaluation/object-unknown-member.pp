type Point = Object[{ attributes => { x => Integer }, functions => { norm => Callable[[0, 0], Float] } }]
notice(Point(1).norm)
