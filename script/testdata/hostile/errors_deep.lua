local function f(n) if n > 0 then local x = f(n - 1) return x end error("x") end
function on_tick() for i = 1, 12 do pcall(f, 200) end end
