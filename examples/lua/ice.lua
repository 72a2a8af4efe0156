-- Ice: who stands beside a wall of unhookable tiles slides, and who takes a heart freezes.

pure_tuning = false
state.slides = {} -- by player

local unhookable = 3

function on_tick()
  for p in players() do
    if p.alive then
      local slides = game.tile({x = p.x, y = p.y + 32}) == unhookable
      if slides ~= (state.slides[p] or false) then
        state.slides[p] = slides
        if slides then
          p:set_tuning{ground_friction = 0.98, ground_control_accel = 0.4}
        else
          p:set_tuning()
        end
      end
    end
  end
end

function on_pickup(p, kind)
  if kind == "health" and p:freeze(2 * game.ticks_per_second) then
    game.sound(p.pos, "hit")
  end
end

function on_leave(p)
  state.slides[p] = nil
end
