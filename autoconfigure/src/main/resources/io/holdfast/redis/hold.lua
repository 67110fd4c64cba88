-- Functions shared by the scripts that change a hold; put in front of them.

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

-- Makes a lock last at least so many ms from now on, and its last token be remembered for
-- longer than that. Returns how long the lock lasts.
local function prolong(lock, last_token, lease, retention)
  local remaining = redis.call('PTTL', lock)
  if remaining >= lease then
    return remaining
  end
  redis.call('PEXPIRE', lock, lease)
  redis.call('PEXPIRE', last_token, lease + retention)
  return lease
end
