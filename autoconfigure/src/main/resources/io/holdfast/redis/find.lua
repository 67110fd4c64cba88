-- Looks up an owner's hold. A script, so that it is asked of the master and not of a
-- replica that may lag behind.
--
-- KEYS as keys.lua says, for one lock
-- ARGV[1] owner
--
-- Replies the token of the hold, or 0 when the owner has none.

local owner = ARGV[1]

-- include keys.lua
-- include hold.lua
local key = key_at(1)
if redis.call('HGET', key.lock, 'mode') == 'shared' then
  settle_shares(key)
end
local held = redis.call('HMGET', key.lock, owner, 'token', 'mode')
if not held[1] or not held[2] then
  return 0
end
return tonumber(held[3] == 'shared' and token_of_share(key, owner) or held[2])
