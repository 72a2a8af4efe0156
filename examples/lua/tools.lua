-- Tools: the gun is a jetpack, and the laser pulls its owner to the wall that it hits.

function on_spawn(p) p:give_weapon("laser", 3) end

function on_fire(p, weapon, dir)
  if weapon == "gun" then
    p:push{x = -6 * dir.x, y = -6 * dir.y}
    return false -- no shot
  elseif weapon == "laser" then
    local hit = game.raycast(p.pos, {x = p.x + 800 * dir.x, y = p.y + 800 * dir.y})
    if hit then
      p.pos = {x = hit.pos.x - 20 * dir.x, y = hit.pos.y - 20 * dir.y}
      p:set_ammo("laser", p:ammo("laser") - 1)
    end
    return false
  end
end
