function f() for i = 1, 3 do pcall(after, 1, "f") end end
function on_tick() for i = 1, 80 do pcall(after, 1, "f", i, "x", true) end end
