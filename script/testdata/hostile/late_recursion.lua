function on_tick()
  local c, m = {n = 0}, {}
  local t = setmetatable({}, m)
  m.__add = function(a, b) c.n = c.n + 1 if c.n < 1700 then return a + b end return 1 end
  local x = t + t
end
