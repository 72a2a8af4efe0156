function on_tick() local a, b, c, d, e, f, g, h = 1, 2, 3, 4, 5, 6, 7, 8 for i = 1, 900 do local x = function() return a, b, c, d, e, f, g, h end end end
