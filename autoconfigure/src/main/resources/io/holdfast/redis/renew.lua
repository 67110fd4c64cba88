-- Makes holds last at least so long from now on.
--
-- KEYS[2i-1] lock    KEYS[2i] last fencing token, for the i-th hold
-- ARGV[1] time in ms for which the last token is remembered after the lease
-- ARGV[3i-1] owner   ARGV[3i] token   ARGV[3i+1] least time in ms, for the i-th hold
--
-- Replies for each hold the time in ms that it lasts, or 0 when it is not held any more.

local retention = tonumber(ARGV[1])

-- include hold.lua
-- include prolong.lua
local function renew(lock, last_token, owner, token, lease)
  return is_held(lock, owner, token) and prolong(lock, last_token, lease, retention) or 0
end

local replies = {}
for i = 1, #KEYS / 2 do
  replies[i] = renew(KEYS[2 * i - 1], KEYS[2 * i], ARGV[3 * i - 1], ARGV[3 * i], tonumber(ARGV[3 * i + 1]))
end
return replies
