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

-- Returns false, unless this is a replica: it may not have been told of a hold yet. A command that changes
-- nothing fails there, and so the script.
local function not_held(lock)
  reply_unless_foreign('HDEL', lock, '')
  return false
end

-- Tells whether a hold is held: its owner is there, with its token. Something else under
-- the lock's keys is nobody's hold. The second result is when a share ends, the
-- third the hold count.
local function is_held(lock, shares, owner, token)
  local held = reply_unless_foreign('HMGET', lock, owner, 'token', 'mode')
  if not held or not held[1] then
    return not_held(lock)
  end
  if held[3] ~= 'shared' then
    return held[2] == token or not_held(lock), nil, held[1]
  end
  local ends = tonumber(reply_unless_foreign('ZSCORE', shares, token .. '@' .. owner) or 0)
  if ends > time_in_millis() then
    return true, ends, held[1]
  end
  return not_held(lock)
end
