state.t,state.a={},0
function on_tick()
  local t, a, v, w = state.t, state.a, true, nil
  state.a = a + 1
  if a < 11 then for i=a*3000+1,a*3000+3000 do t[i]=true end
  elseif a < 22 then for i=(22-a)*3000,(21-a)*3000+1,-1 do t[i]=nil end
  else for i=1,230 do t[65536]=v t[65536]=w t[65536]=v t[65536]=w t[65536]=v t[65536]=w t[65536]=v t[65536]=w t[65536]=v t[65536]=w t[65536]=v t[65536]=w t[65536]=v t[65536]=w t[65536]=v t[65536]=w t[65536]=v t[65536]=w t[65536]=v t[65536]=w t[65536]=v t[65536]=w t[65536]=v t[65536]=w t[65536]=v t[65536]=w t[65536]=v t[65536]=w t[65536]=v t[65536]=w t[65536]=v t[65536]=w t[65536]=v t[65536]=w t[65536]=v t[65536]=w t[65536]=v t[65536]=w t[65536]=v t[65536]=w end end
end
