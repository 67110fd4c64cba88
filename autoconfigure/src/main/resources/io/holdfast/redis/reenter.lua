-- Sets the hold count of a hold that is held already.
--
-- KEYS[1] lock    KEYS[2] last fencing token
-- ARGV[1] owner   ARGV[2] token of the hold
-- ARGV[3] hold count that the owner then has
-- ARGV[4] least time in ms that the hold lasts from now on
-- ARGV[5] time in ms for which the last token is remembered after the lease
--
-- Replies the time in ms that the hold lasts, or 0 when it is not held any more.

local lock, last_token = KEYS[1], KEYS[2]
local owner, token, count, lease, retention = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5])

-- include hold.lua
-- include prolong.lua
if not is_held(lock, owner, token) then
  return 0
end
redis.call('HSET', lock, owner, count)
return prolong(lock, last_token, lease, retention)
