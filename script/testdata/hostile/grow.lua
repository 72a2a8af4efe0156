function on_tick() for i = 1, 14 do local t = {} for j = 1, 257 do t[j * 7919] = j end end end
