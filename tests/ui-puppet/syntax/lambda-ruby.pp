[1,2].each do |x|
  notice($x)
end
