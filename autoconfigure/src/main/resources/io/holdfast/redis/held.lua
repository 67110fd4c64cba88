-- Function shared by the scripts that change holds (see hold.lua).

-- Tells whether a hold is held: its owner is there, with its token. Something else under
-- the lock's key is nobody's hold. The second result is when a share ends, the
-- third the hold count.
local function is_held(lock, shares, owner, token)
  local held = redis.pcall('HMGET', lock, owner, 'token', 'mode')
  if held.err then
    if string.find(held.err, 'WRONGTYPE', 1, true) then
      return false
    end
    error(held.err)
  end
  if not held[1] or held[3] ~= 'shared' then
    return held[1] and held[2] == token, nil, held[1]
  end
  local ends = tonumber(redis.call('ZSCORE', shares, token .. '@' .. owner) or 0)
  local now = redis.call('TIME')
  if ends > now[1] * 1000 + math.floor(now[2] / 1000) then
    return true, ends, held[1]
  end
  return false
end
