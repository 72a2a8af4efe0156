-- A hit gives the attacker hearts. Every 20 seconds, all players get one heart.

-- A variable for operators: sv_NAME 3
local hearts = variable{name = "sv_NAME", default = 1, min = 0, max = 10, help = "Hearts for each hit"}

-- A chat command for players: /NAME
chat_command{name = "NAME", help = "Shows what a hit gives", run = function(p)
  return "Hearts for each hit: " .. hearts.value
end}

-- on_start is a hook: the server calls it when a map begins. It starts a timer of 20 seconds.
function on_start()
  after(20 * game.ticks_per_second, "give_all")
end

-- The timer calls give_all, which starts the timer again.
function give_all()
  for p in players() do p:heal(1) end
  game.broadcast("A heart for everyone")
  after(20 * game.ticks_per_second, "give_all")
end

-- on_damage_taken is the hook for a hit that counted.
function on_damage_taken(d)
  if d.attacker and d.attacker ~= d.victim then
    d.attacker:heal(hearts.value)
  end
end
