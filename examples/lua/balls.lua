-- Balls: a ball rolls after the nearest player and bites. /ball makes another ball.

state.balls = 0

local ball = entity_kind{name = "ball", parts = 2,
  tick = function(e)
    local pos, vel = e.pos, e.vel
    local p = game.nearest_player(pos, 600)
    if p then
      local dx, dy = p.x - pos.x, p.y - pos.y
      local distance = math.sqrt(dx * dx + dy * dy)
      vel.x = vel.x * 0.95 + dx / (distance + 1) * 0.4
      vel.y = vel.y * 0.95 + dy / (distance + 1) * 0.4
      if distance < 40 then
        p:damage(1, nil, "world")
        vel.x, vel.y = -vel.x * 2, -6
      end
      e.vel = vel
    end
    if e:move(24, 0.6) then
      state.balls = state.balls - 1
      e:remove()
    end
  end,
  draw = function(e, d)
    local pos = e.pos
    d:pickup(1, "health", pos)
    d:projectile(2, "hammer", pos)
  end,
}

local function make(pos)
  if state.balls >= 10 then
    return "10 balls are the limit"
  end
  state.balls = state.balls + 1
  ball:spawn{pos = pos}
end

function on_round_start()
  state.balls = 0
end

function on_spawn(p)
  if state.balls == 0 then
    after(3 * game.ticks_per_second, "first", p)
  end
end

function first(p)
  if p.alive then
    make({x = p.x, y = p.y - 100})
  end
end

chat_command{name = "ball", help = "Makes a ball", run = function(p)
  return make(p.pos)
end}
