local function f(n) if n > 0 then return 1 + f(n - 1) end return 0 end
function on_tick() for i = 1, 3 do f(1000) end end
