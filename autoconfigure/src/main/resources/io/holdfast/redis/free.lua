-- Frees an exclusive lock that nobody waits for: what release.lua does then, at less cost.
--
-- KEYS[1] lock   KEYS[2] deadlines: there when somebody waits, or a claim is denied (see queue.lua)
-- ARGV[1] owner
-- ARGV[2] token of the hold
--
-- Replies 1, or 0 when release.lua has to look.

local held = redis.pcall('HMGET', KEYS[1], ARGV[1], 'token', 'mode')
if held[1] and held[2] == ARGV[2] and held[3] == 'exclusive' and redis.call('EXISTS', KEYS[2]) == 0 then
  return redis.call('DEL', KEYS[1])
end
return 0
