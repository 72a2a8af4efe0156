state.a=0 state.t={}
function on_tick()
  local a=state.a state.a=a+1
  local t=state.t
  if a<8 then for i=1,1000 do t["k"..(a*1000+i)]=1 end
  elseif a<16 then for i=1,1000 do t["k"..((a-8)*1000+i)]=nil end
  else for i=1,2000 do pairs(t) end end
end
