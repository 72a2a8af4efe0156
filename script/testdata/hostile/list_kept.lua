state.t, state.a = {}, 0
function on_tick()
  local t, a, v, w = state.t, state.a, true, nil
  state.a = a + 1
  if a < 6 then for i = a * 3000 + 1, math.min(a * 3000 + 3000, 16385) do t[i] = true end
  else for i = 1, 200 do t[32768]=v t[32768]=w t[32768]=v t[32768]=w t[32768]=v t[32768]=w t[32768]=v t[32768]=w t[32768]=v t[32768]=w t[32768]=v t[32768]=w t[32768]=v t[32768]=w t[32768]=v t[32768]=w t[32768]=v t[32768]=w t[32768]=v t[32768]=w t[32768]=v t[32768]=w t[32768]=v t[32768]=w t[32768]=v t[32768]=w t[32768]=v t[32768]=w t[32768]=v t[32768]=w t[32768]=v t[32768]=w t[32768]=v t[32768]=w t[32768]=v t[32768]=w t[32768]=v t[32768]=w t[32768]=v t[32768]=w end end
end
