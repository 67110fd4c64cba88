-- Makes holds last at least so long from now on, and sets their hold count.
--
-- KEYS as keys.lua says, for each hold
-- ARGV[1] time in ms for which the last token is remembered after the lease
-- ARGV[4i-2] owner   ARGV[4i-1] token   ARGV[4i] least time in ms
-- ARGV[4i+1] hold count, or an empty string to leave it; for the i-th hold
--
-- Replies for each hold the time in ms that it lasts, or 0 when it is not held any more.

local retention = tonumber(ARGV[1])

-- include keys.lua
-- include hold.lua
-- include held.lua
-- include prolong.lua
local function renew(key, owner, token, lease, count)
  local held, ends, present = is_held(key.lock, key.shares, owner, token)
  if not held then
    return 0
  end
  if count == '' and present == '0' then
    count = '1' -- what is renewed counts, although this node was never told so
  end
  if count ~= '' then
    set_count(key, owner, count)
  end
  return prolong(key, owner, token, ends, lease, retention)
end

local replies = {}
for i = 1, #KEYS / 6 do
  replies[i] = renew(key_at(i), ARGV[4 * i - 2], ARGV[4 * i - 1], tonumber(ARGV[4 * i]), ARGV[4 * i + 1])
end
return replies
