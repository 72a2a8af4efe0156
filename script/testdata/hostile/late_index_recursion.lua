function on_tick()
  local c, m = {n = 0}, {}
  local t = setmetatable({}, m)
  m.__index = function(a, k) c.n = c.n + 1 if c.n < 1700 then return a[k] end return 1 end
  local x = t.y
end
