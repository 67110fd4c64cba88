-- Grants locks, all or none of them, for a short time and so that they do not count before confirm.lua, or keeps a
-- place in the queues of those in the way. A place stays where it is granted: a quorum may not grant.
--
-- KEYS and ARGV[1] to ARGV[10] as attempt.lua says
-- ARGV[11] number of this node, beginning with 0   ARGV[12] how many nodes there are
-- ARGV[12+i] name of the i-th lock
--
-- Replies {token, ...} when granted, else {0, ms after which to try again, holder, position of the place, 0}, or with
-- an empty holder and, at the end, the place that goes first.
--
-- Can be repeated, as acquire.lua can.

-- include time.lua
-- include keys.lua
-- include token.lua
-- include queue.lua
-- include hold.lua
-- include attempt.lua
local node, nodes = tonumber(ARGV[11]), tonumber(ARGV[12])

-- How long to wait for a grant of another claim that does not count yet, in ms: it is decided upon at once
local TENTATIVE = 20

-- Returns the next fencing token, as text. A node grants only those that leave its number as the remainder: no two
-- independent masters grant the same.
local function next_token_of_node(key)
  if (tonumber(redis.call('GET', key.token) or 0) or 0) + nodes > GREATEST then
    fail_for_last_token()
  end
  local token = next_token(key.token, token_lasts(key), 0)
  local own = string.format('%.0f', token + (node - token) % nodes)
  redis.call('SET', key.token, own, 'KEEPTTL')
  return own
end

local denied = deny()
if denied then
  denied[2] = denied.count == '0' and math.min(denied[2], TENTATIVE) or denied[2]
  denied[6] = denied.before
  return denied
end
local tokens = {}
for i, key in ipairs(keys) do
  if key.mine then
    tokens[i] = prolong(key)
  else
    local token = next_token_of_node(key)
    grant(key, token, '0')
    tokens[i] = tonumber(token)
  end
end
return tokens
