def foo(a)
  a + 1
end
