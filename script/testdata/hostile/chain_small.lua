function on_tick() local t = {} for i = 1, 95 do t = setmetatable({a=1,b=1,c=1,d=1,e=1,f=1,g=1}, {__index = t}) end for i = 1, 420 do local _ = t.zzz end end
