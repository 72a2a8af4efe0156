-- Ice: tees slide on unhookable tiles. A tee that takes a heart freezes.

pure_tuning = false

tune_zone{tile = 3, floor = true, tuning = {ground_friction = 0.98, ground_control_accel = 0.4}}

function on_pickup(p, kind)
  if kind == "health" and p:freeze(2 * game.ticks_per_second) then
    game.sound(p.pos, "hit")
  end
end
