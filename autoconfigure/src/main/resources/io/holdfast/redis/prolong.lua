-- Function shared by the scripts that make a hold last longer.

-- Makes a hold last at least so many ms from now on, and the key's last token be remembered
-- for longer than that. Returns how long the hold lasts.
local function prolong(key, owner, token, ends, lease, retention)
  local remaining = ends and ends - time_in_millis() or redis.call('PTTL', key.lock)
  if remaining >= lease or lease == 0 then -- a lock that lasts forever has -1
    return math.max(remaining, 0)
  end
  redis.call('PEXPIRE', key.token, lease + retention) -- first: Redis refuses no share for lack of memory then
  if ends then
    redis.call('ZADD', key.shares, string.format('%.0f', time_in_millis() + lease), token .. '@' .. owner)
    settle_shares(key)
  else
    redis.call('PEXPIRE', key.lock, lease)
  end
  return lease
end
