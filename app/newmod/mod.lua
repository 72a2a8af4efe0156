-- A player who hits another one gets hearts, and every now and then all get one.

-- Operators set this variable as any other: sv_NAME 3
local hearts = variable{name = "sv_NAME", default = 1, min = 0, max = 10, help = "Hearts for a hit"}

-- Players write this command into the chat: /NAME
chat_command{name = "NAME", help = "Says what a hit gives", run = function(p)
  return "Hearts for a hit: " .. hearts.value
end}

function on_start()
  after(20 * game.ticks_per_second, "give_all")
end

-- The timer calls this function, which sets the timer again.
function give_all()
  for p in players() do p:heal(1) end
  game.broadcast("A heart for all")
  after(20 * game.ticks_per_second, "give_all")
end

function on_damage_taken(d)
  if d.attacker and d.attacker ~= d.victim then
    d.attacker:heal(hearts.value)
  end
end
