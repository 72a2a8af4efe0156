function on_tick() for i = 1, 90 do game.spawn_pickup("health", {x = 50 + i * 3, y = 50 + game.tick() % 200}) end end
