-- Function shared by the scripts that make a hold last longer.

-- For how many leases the key's last token is remembered: renewagain.lua follows for eight, the last of its leases
-- is the ninth, and one for a request that is carried out late
local RENEWALS = 10

-- Makes a hold last at least so many ms from now on, and the key's last token be remembered
-- for longer than that. Returns how long the hold lasts, which is no less than 1.
local function prolong(key, owner, token, ends, lease, retention)
  local remembered = RENEWALS * lease + retention
  if lease > 0 and redis.call('PTTL', key.token) < remembered then
    redis.call('PEXPIRE', key.token, remembered)
  end
  local remaining = ends and ends - time_in_millis() or redis.call('PTTL', key.lock)
  if remaining >= lease or lease == 0 then -- a lock that lasts forever has -1, and one that ends now 0
    return math.max(remaining, 1)
  end
  if ends then
    redis.call('ZREM', key.shares, '') -- first: Redis refuses no share for lack of memory then
    redis.call('ZADD', key.shares, string.format('%.0f', time_in_millis() + lease), token .. '@' .. owner)
    settle_shares(key)
  else
    redis.call('PEXPIRE', key.lock, lease)
  end
  return lease
end
