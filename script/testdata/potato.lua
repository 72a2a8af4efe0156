-- Hot potato: whoever is hit gets the potato. When the time is up, it explodes.

min_players = 2
game_type = "POTATO"

local seconds = variable{name = "potato_seconds", default = 15, min = 3, max = 60,
  help = "Seconds until the potato explodes"}

-- What lasts is in state, which is saved, hashed and restored.
state.holder = nil   -- who has the potato
state.explodes = 0   -- the tick in which it explodes

local function give(p)
  if state.holder then
    state.holder:set_tuning()
  end
  state.holder = p
  if p then
    p:set_tuning{ground_control_speed = 12}
    p:emote("surprise", 100)
    game.sound(p.pos, "ctf_grab_enemy")
    game.broadcast(p.name .. " has the potato!")
  end
end

local function someone()
  local alive = {}
  for p in players() do
    if p.alive then
      table.insert(alive, p)
    end
  end
  return alive[math.random(math.max(#alive, 1))]
end

function on_tick()
  if not game.running() then
    return
  end
  local p = state.holder
  if not p or not p.alive then
    give(someone())
    state.explodes = game.tick() + seconds.value * game.ticks_per_second
  elseif game.tick() >= state.explodes then
    game.show_explosion(p.pos)
    game.sound(p.pos, "grenade_explode")
    game.say(p.name .. " was too slow")
    p.score = p.score - 1
    p:kill("world")
  end
end

-- Weapons do not hurt. Whoever is hit by the holder has the potato now.
function on_damage(d)
  if d.attacker and d.attacker == state.holder and d.attacker ~= d.victim then
    d.attacker:add_score(1)
    give(d.victim)
  end
  d.amount = 0
end

function on_leave(p)
  if p == state.holder then
    give(nil)
  end
end

chat_command{name = "potato", help = "Tells who has the potato", run = function()
  return state.holder and state.holder.name .. " has it" or "nobody has it"
end}
