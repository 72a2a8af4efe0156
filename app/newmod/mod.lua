-- Whoever hits somebody else gets a heart, and whoever kills gets the rest.

function on_damage_taken(d)
  if d.attacker and d.attacker ~= d.victim then
    d.attacker:heal(1)
  end
end

function on_death(d)
  if d.killer and d.killer ~= d.victim then
    d.killer:heal(10)
    game.say(d.killer.name .. " is well again")
  end
end
