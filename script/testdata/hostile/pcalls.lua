local function f(n) if n > 0 then return pcall(f, n - 1) end error("x") end
function on_tick() for i = 1, 4 do f(60) end end
