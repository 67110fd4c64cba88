-- Looks up an owner's hold. A script, so that it is asked of the master and not of a
-- replica that may lag behind.
--
-- KEYS[1] lock
-- ARGV[1] owner
--
-- Replies the token of the hold, or 0 when the owner has none.

local held = redis.call('HMGET', KEYS[1], ARGV[1], 'token')
if held[1] and held[2] then
  return tonumber(held[2])
end
return 0
