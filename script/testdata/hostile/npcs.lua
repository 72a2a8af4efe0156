function on_tick() for i = 1, 60 do game.add_npc{name = "n" .. i} end for p in players() do if p.npc then p:remove_npc() end end end
