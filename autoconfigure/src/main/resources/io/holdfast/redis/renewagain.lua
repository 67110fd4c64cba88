-- Renews exclusive holds that have been renewed before: what renew.lua does then, at less cost. That has seen to it
-- that the last tokens are remembered for longer.
--
-- KEYS[i] the i-th lock
-- ARGV[1] least time in ms that each lasts from now on
-- ARGV[2i] owner   ARGV[2i+1] token; of the i-th hold
--
-- Replies for each hold 1 when it lasts so long, or 0 when renew.lua has to look.

local lease = ARGV[1]

-- Redis 6.2 cannot compare
local can_compare = redis.REDIS_VERSION_NUM

local function prolong(lock)
  if can_compare then
    return redis.call('PEXPIRE', lock, lease, 'GT')
  end
  local remaining = redis.call('PTTL', lock)
  return remaining >= 0 and remaining < tonumber(lease) and redis.call('PEXPIRE', lock, lease) or 0
end

local replies = {}
for i, lock in ipairs(KEYS) do
  local held = redis.pcall('HMGET', lock, ARGV[2 * i], 'token', 'mode')
  local is_held = held[1] and held[1] ~= '0' and held[2] == ARGV[2 * i + 1] and held[3] == 'exclusive'
  replies[i] = is_held and prolong(lock) or 0
end
return replies
