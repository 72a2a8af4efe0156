function on_tick() for i = 1, 15 do for p in players() do p:set_tuning{gravity = i / 100} p:tuning("gravity") end end end
