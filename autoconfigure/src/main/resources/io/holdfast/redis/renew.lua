-- Makes holds last at least so long from now on, and sets their hold count.
--
-- KEYS as keys.lua says, for each hold
-- ARGV[1] time in ms for which the last token is remembered after the lease, and some more (see prolong.lua)
-- ARGV[5i-3] owner   ARGV[5i-2] token   ARGV[5i-1] least time in ms
-- ARGV[5i] hold count, or an empty string to leave it
-- ARGV[5i+1] who holds an exclusive lock in place of the owner (see hold.lua), or an empty string; for the i-th hold
--
-- Replies for each hold the time in ms that it lasts, or 0 when it is not held any more.

local retention = tonumber(ARGV[1])

-- include time.lua
-- include keys.lua
-- include hold.lua
-- include held.lua
-- include prolong.lua
local function renew(key, owner, token, lease, count, passed_to)
  local held, ends, present = is_held(key.lock, key.shares, owner, token)
  if not held then
    return 0
  end
  if count == '' and present == '0' then
    count = '1' -- what is renewed counts, although this node was never told so
  end
  if count ~= '' then
    set_field(key, owner, count)
  end
  if passed_to ~= '' and not ends then
    set_field(key, 'passed-to', passed_to)
  end
  return prolong(key, owner, token, ends, lease, retention)
end

local replies = {}
for i = 1, #KEYS / 6 do
  replies[i] = renew(key_at(i), ARGV[5 * i - 3], ARGV[5 * i - 2], tonumber(ARGV[5 * i - 1]), ARGV[5 * i], ARGV[5 * i + 1])
end
return replies
