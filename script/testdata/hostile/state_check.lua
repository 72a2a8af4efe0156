-- The state is as large as it can be, and the script allocates so much that it is checked in every tick.
state.a = 0
state.t = {}
function on_tick()
  local a, t = state.a, state.t
  state.a = a + 1
  if a < 12 then for i = a * 2000 + 1, a * 2000 + 2000 do t[i * 7919 % 1000003] = true end
  else local s = ("a"):rep(8000) for i = 1, 118 do local x = s .. i end end
end
