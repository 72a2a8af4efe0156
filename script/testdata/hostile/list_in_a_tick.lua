function on_tick()
  local t, v, w = {}, true, nil
  for i = 1, 4097 do t[i] = v end
  for i = 1, 140 do t[8192]=v t[8192]=w t[8192]=v t[8192]=w t[8192]=v t[8192]=w t[8192]=v t[8192]=w t[8192]=v t[8192]=w t[8192]=v t[8192]=w t[8192]=v t[8192]=w t[8192]=v t[8192]=w t[8192]=v t[8192]=w t[8192]=v t[8192]=w t[8192]=v t[8192]=w t[8192]=v t[8192]=w t[8192]=v t[8192]=w t[8192]=v t[8192]=w t[8192]=v t[8192]=w t[8192]=v t[8192]=w t[8192]=v t[8192]=w t[8192]=v t[8192]=w t[8192]=v t[8192]=w t[8192]=v t[8192]=w end
end
