-- Renews exclusive holds that have been renewed before: what renew.lua does then, at less cost. That has seen to it
-- that the last tokens are remembered for longer. Whose they are is told by their tokens (see hold.lua).
--
-- KEYS[i] the i-th lock
-- ARGV[1] least time in ms that each lasts from now on
-- ARGV[i+1] token of the i-th hold
--
-- Replies the positions of those that do not last so long by now: renew.lua has to look.

local keys, arguments = KEYS, ARGV
local lease = arguments[1]

-- Redis 6.2 cannot compare
local can_compare = redis.REDIS_VERSION_NUM

local function prolong(lock)
  if can_compare then
    return redis.call('PEXPIRE', lock, lease, 'GT')
  end
  local remaining = redis.call('PTTL', lock)
  return remaining >= 0 and remaining < tonumber(lease) and redis.call('PEXPIRE', lock, lease) or 0
end

local left = {}
for i = 1, #keys do
  local held = redis.pcall('HMGET', keys[i], 'token', 'claim')
  if held[1] ~= arguments[i + 1] or not held[2] or prolong(keys[i]) == 0 then
    left[#left + 1] = i
  end
end
return left
