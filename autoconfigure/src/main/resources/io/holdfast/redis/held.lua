-- Functions shared by the scripts that change holds (see hold.lua); need time.lua.

-- Returns the reply to a command, or nil when what is there is of another type.
local function reply_unless_foreign(...)
  local reply = redis.pcall(...)
  if type(reply) ~= 'table' or not reply.err then
    return reply
  end
  if not string.find(reply.err, 'WRONGTYPE', 1, true) then
    error(reply.err)
  end
end

-- Tells whether a hold is held: its owner is there, with its token. Something else under
-- the lock's keys is nobody's hold. The second result is when a share ends, the
-- third the hold count.
local function is_held(lock, shares, owner, token)
  local held = reply_unless_foreign('HMGET', lock, owner, 'token', 'mode')
  if not held then
    return false
  end
  if not held[1] or held[3] ~= 'shared' then
    return held[1] and held[2] == token, nil, held[1]
  end
  local ends = tonumber(reply_unless_foreign('ZSCORE', shares, token .. '@' .. owner) or 0)
  if ends > time_in_millis() then
    return true, ends, held[1]
  end
  return false
end
