-- Functions for scripts that change holds (see hold.lua); need time.lua.

-- Returns the reply to a command, or nil if a foreign value has the key's name.
local function reply_unless_foreign(...)
  local reply = redis.pcall(...)
  if type(reply) ~= 'table' or not reply.err then
    return reply
  end
  if not string.find(reply.err, 'WRONGTYPE', 1, true) then
    error(reply.err)
  end
end

-- Returns false. On a replica, which may not know of a hold yet, the write that changes nothing makes the script fail.
local function not_held(lock)
  reply_unless_foreign('HDEL', lock, '')
  return false
end

-- Tells whether an owner holds a lock with a token. Foreign values under the lock's keys are no hold. The second result
-- is when a share ends, the third the hold count.
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
