-- Grants an exclusive lock that is free and that nobody waits for: what acquire.lua does then, at less cost.
--
-- KEYS[1] lock   KEYS[2] last token   KEYS[3] deadlines: there when somebody waits, or a claim is denied (see queue.lua)
-- ARGV[1] name of the claim
-- ARGV[2] owner
-- ARGV[3] lease in ms
-- ARGV[4] time in ms for which the last token is remembered from now on
--
-- Replies the token, or 0 when acquire.lua has to look.

-- include freshtoken.lua
if redis.call('EXISTS', KEYS[1], KEYS[3]) ~= 0 then
  return 0
end
local token = fresh_token(KEYS[2], ARGV[4], 0, 1)
if not token then
  return 0
end
redis.call('HSET', KEYS[1], 'token', token, 'claim', ARGV[1], ARGV[2], '1', 'mode', 'exclusive')
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return tonumber(token)
