function on_tick() local s = ("a"):rep(1000) for i = 1, 40 do game.say(s) game.broadcast(s) end end
