-- Function shared by the scripts that make a hold last longer.

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
