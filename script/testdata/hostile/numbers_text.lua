function on_tick() local x for i = 1, 700 do x = (1e300 / i) .. "" x = tonumber(x) end end
