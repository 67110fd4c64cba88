-- Grants an exclusive lock that is free and has no waiters: what acquire.lua does then, at less cost.
--
-- KEYS[1] lock   KEYS[2] last token
-- KEYS[3] deadlines: there when there are waiters, or a claim is denied (see queue.lua)
-- ARGV[1] name of the claim
-- ARGV[2] owner
-- ARGV[3] lease in ms
-- ARGV[4] time in ms for which the last token is remembered from now on
--
-- Replies the token, the server's time in microseconds, or 0 when acquire.lua has to look.

if redis.call('EXISTS', KEYS[1], KEYS[3]) ~= 0 then
  return 0
end
local now = redis.call('TIME')
local token = now[1] .. string.sub('00000' .. now[2], -6)
local last = redis.call('SET', KEYS[2], token, 'PX', ARGV[4], 'GET')
-- A last token that is none, has another number of digits or is not smaller stays, except for its expiry
if last and (#last ~= #token or last >= token or not string.find(last, '^%d+$')) then
  redis.call('SET', KEYS[2], last, 'KEEPTTL')
  return 0
end
redis.call('HSET', KEYS[1], 'token', token, 'claim', ARGV[1], ARGV[2], '1', 'mode', 'exclusive')
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return tonumber(token)
