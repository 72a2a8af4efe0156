function on_tick() for i = 1, 80 do game.spawn_projectile{weapon = "grenade", pos = {x = 50 + i, y = 50}, dir = {x = 1, y = -1}} end end
