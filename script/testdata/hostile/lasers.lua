function on_tick() local p = player(0) for i = 1, 90 do game.spawn_laser(p, {x = 100 + i, y = 100}, {x = 1, y = i / 30}) end end
