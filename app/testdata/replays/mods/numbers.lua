-- A script for a recorded match: whatever could come out otherwise on another machine.

pure_tuning = false
state.sums = {}
state.texts = {}
state.order = {}
state.asked = 0
state.top = {}

local comet = entity_kind{name = "comet", parts = 2,
  tick = function(e)
    local a = game.tick() / 17 + e.born
    e.vel = {x = e.vel.x * 0.97 + math.cos(a) * 0.9, y = e.vel.y * 0.97 + math.sin(a * 1.3) * 0.9}
    e:set(1, e:data(1) + 1)
    if e:move(20, 0.8) or e:data(1) > 300 then
      e:remove()
    end
    local p = game.nearest_player(e.pos, 60)
    if p then
      p:push{x = e.vel.x * 0.25, y = -2.125}
    end
  end,
  draw = function(e, d)
    d:pickup(1, "armor", e.pos)
    d:laser(2, e.pos, {x = e.pos.x - e.vel.x * 4, y = e.pos.y - e.vel.y * 4})
  end}

function on_tick()
  local tick = game.tick()
  if tick % 10 ~= 0 then
    return
  end
  local x = tick / 7.3
  state.sums[tick % 70] = math.sin(x) + math.cos(x) * math.tan(x) + math.atan(x, 3) + x ^ 1.5 + math.exp(-x / 100) + math.log(x + 1)
  state.texts[tick % 70] = string.format("%5.3f %g %d", x, x / 3, tick) .. x / 9 .. " " .. tostring(1 / x)
  local list = {}
  for p in players() do
    list[#list + 1] = {p = p, d = math.sqrt(p.x * p.x + p.y * p.y) + math.random()}
  end
  table.sort(list, function(a, b) return a.d < b.d end)
  for i, v in ipairs(list) do
    state.order[i] = v.p
  end
end

function on_spawn(p)
  comet:spawn{pos = p.pos, vel = {x = math.random(-9, 9), y = -7.5}, owner = p}
  p:set_tuning{gravity = 0.5 + math.random() * 0.25, ground_control_speed = 10 + math.random(5)}
end

function on_damage_taken(d)
  d.victim:freeze(math.random(20, 60))
  after(math.random(5, 40), "thaw", d.victim, d.amount)
end

function thaw(p, amount)
  if p.alive then
    p.vel = {x = p.vel.x * 1.1 + amount * 0.3, y = p.vel.y - 1 / 3}
    p:unfreeze()
  end
end

function on_death(d)
  if d.killer then
    state.asked = store.add("kills", d.killer.name, 1)
  end
  store.top("kills", 3)
end

function on_stored(a)
  if a.op == "top" then
    for i, r in ipairs(a:rows()) do
      state.top[i] = r.name .. " " .. r.score
    end
  end
end

function on_leave(p)
  state.order = {}
end
