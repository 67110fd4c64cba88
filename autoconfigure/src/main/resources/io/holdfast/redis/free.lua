-- Frees an exclusive lock. Declares only its hash, so that it runs while a Cluster moves the slot.
--
-- KEYS[1] lock
-- ARGV[1] owner
-- ARGV[2] token of the hold
-- ARGV[3] 1 to free it although others wait, or may wait on another node: they look again by themselves; else 0
--
-- Replies 1, or 0 when release.lua has to look.

-- include released.lua
local lock = KEYS[1]
local held = redis.pcall('HMGET', lock, ARGV[1], 'token', 'mode')
if not held[1] or held[2] ~= ARGV[2] or held[3] ~= 'exclusive' then
  return 0
end
-- Deadlines are there when there are waiters, or a claim is denied (see queue.lua)
if ARGV[3] ~= '1' and redis.pcall('EXISTS', lock .. ':deadlines') ~= 0 then
  return 0
end
redis.call('DEL', lock)
remember_release(lock, ARGV[1], ARGV[2])
return 1
