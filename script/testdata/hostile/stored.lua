function on_tick() for i = 1, 60 do store.put("k" .. i, ("a"):rep(1000)) end end
