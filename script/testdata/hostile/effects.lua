function on_tick() local p = {x = 100, y = 100} for i = 1, 45 do game.show_explosion(p) game.sound(p, "jump") end end
