-- Looks up an owner's hold. A script, so that it is asked of the master and not of a
-- replica that may lag behind.
--
-- KEYS[1] lock   KEYS[2] shares
-- ARGV[1] owner
--
-- Replies the token of the hold, or 0 when the owner has none.

local lock, shares, owner = KEYS[1], KEYS[2], ARGV[1]

local held = redis.call('HMGET', lock, owner, 'token', 'mode')
if not held[1] or not held[2] then
  return 0
end
if held[3] ~= 'shared' then
  return tonumber(held[2])
end
for _, share in ipairs(redis.call('ZRANGE', shares, 0, -1)) do
  local token, sharer = string.match(share, '^(%d+)@(.*)$')
  if sharer == owner then
    return tonumber(token)
  end
end
return 0
