local k = entity_kind{name = "k", tick = function(e) for i = 1, 10 do e.pos = {x = e.pos.x + 1, y = e.pos.y} end end,
  draw = function(e, d) for i = 1, 16 do d:laser(i, e.pos, {x = 1, y = 1}) end end}
function on_tick() for i = 1, 6 do k:spawn{pos = {x = i * 10, y = 50}} end end
