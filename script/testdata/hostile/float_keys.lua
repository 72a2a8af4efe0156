function on_tick() local t = {} for i = 1, 1200 do t[i + 0.5] = i end for k in pairs(t) do local x = t[k] end end
