-- Hill: a game type, sv_gametype hill. A player alone on the hill scores a point each second.
-- Kills score nothing. The hill moves to another heart of the map every 30 seconds.

mode{name = "HILL"}

local radius = variable{name = "hill_radius", default = 160, min = 50, max = 1000, help = "Radius of the hill, in units (32 to a tile)"}

state.places = {} -- positions of the map's hearts
state.hill = 1

local health = 198

local circle = entity_kind{name = "circle", parts = 3,
  tick = function(e)
    e.pos = state.places[state.hill]
    e:set(1, radius.value)
  end,
  draw = function(e, d)
    local r = e:data(1)
    d:pickup(1, "health", e.pos)
    d:laser(2, {x = e.pos.x - r, y = e.pos.y}, {x = e.pos.x - r, y = e.pos.y})
    d:laser(3, {x = e.pos.x + r, y = e.pos.y}, {x = e.pos.x + r, y = e.pos.y})
  end}

-- The hill takes the places of the map's hearts. All other pickups stay.
function on_entity(tile, pos)
  if tile == health then
    if #state.places == 0 then
      circle:spawn{pos = pos}
    end
    state.places[#state.places + 1] = pos
    return false
  end
end

function on_spawn(p)
  p:give_weapon("grenade", 5)
end

function on_tick()
  local ticks = game.match_ticks()
  if #state.places == 0 or not game.running() or game.warmup() or ticks % game.ticks_per_second ~= 0 then
    return
  end
  if ticks % (30 * game.ticks_per_second) == 0 then
    state.hill = state.hill % #state.places + 1
    game.broadcast("The hill has moved")
  end
  local there = game.players_near(state.places[state.hill], radius.value)
  if #there == 1 then
    there[1]:add_score(1)
  end
end

function check_win()
  local best, leaders = 0, 0
  for p in players() do
    if p.score > best then
      best, leaders = p.score, 1
    elseif p.score == best then
      leaders = leaders + 1
    end
  end
  local points, minutes = game.score_limit(), game.time_limit()
  if points > 0 and best >= points or minutes > 0 and game.match_ticks() >= minutes * 60 * game.ticks_per_second then
    return leaders == 1 or "tied"
  end
end
