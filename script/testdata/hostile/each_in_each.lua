local k = entity_kind{name = "k"}
state.a = 0
function on_tick()
  state.a = state.a + 1
  if state.a < 12 then for i = 1, 80 do k:spawn{pos = {x = i * 10, y = 50}} end return end
  k:each(function(e) local x = e.pos end)
end
