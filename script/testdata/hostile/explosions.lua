function on_tick() for i = 1, 90 do game.explode({x = 100 + i, y = 100}) end end
function on_damage(d) for i = 1, 5 do game.explode({x = 100, y = 100}) end end
