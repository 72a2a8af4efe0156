-- Hammers hit twice as hard, and a kill heals the killer.

function on_damage(d)
  if d.weapon == "hammer" then
    d.amount = d.amount * 2
  end
end

function on_death(d)
  if d.killer and d.killer ~= d.victim then
    d.killer:heal(3)
  end
end
