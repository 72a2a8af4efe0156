-- Piñata: a tee that is killed bursts into five hearts. First come, first served.
function on_death(d)
  if not d.killer or d.killer == d.victim then return end
  for i = 1, 5 do
    local angle = i * math.pi / 6
    local heart = {x = d.pos.x + 60 * math.cos(angle), y = d.pos.y - 60 * math.sin(angle)}
    if not game.wall_between(d.pos, heart) then game.spawn_pickup("health", heart, -1) end
  end
  game.show_explosion(d.pos)
  d.killer:emote("happy", 2 * game.ticks_per_second)
  game.broadcast(d.killer.name .. " cracked " .. d.victim.name .. " open!")
end
