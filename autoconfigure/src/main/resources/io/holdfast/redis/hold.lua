-- Function shared by the scripts that change a hold.

-- Tells whether a hold is held: its owner is there, with its token. Something else under
-- the lock's key is nobody's hold.
local function is_held(lock, owner, token)
  local held = redis.pcall('HMGET', lock, owner, 'token')
  if held.err then
    if string.find(held.err, 'WRONGTYPE', 1, true) then
      return false
    end
    error(held.err)
  end
  return held[1] and held[2] == token
end
