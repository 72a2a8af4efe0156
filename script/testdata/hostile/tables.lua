function on_tick() for i = 1, 3300 do local t = {{}, {}} end end
