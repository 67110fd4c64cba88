-- Reduces the hold count of a hold; a count of zero frees the lock and wakes the first
-- waiter.
--
-- KEYS[1] lock
-- KEYS[2] queue    KEYS[3] deadlines (see queue.lua)
-- ARGV[1] owner    ARGV[2] token of the hold
-- ARGV[3] hold count that is left
-- ARGV[4] what the channels of instances begin with
-- ARGV[5] name of the lock, as its waiters know it
--
-- Replies 1, or 0 when the hold was not held any more.

local lock, queue, deadlines = KEYS[1], KEYS[2], KEYS[3]
local owner, token, count, channel_prefix, lock_name = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]

-- include hold.lua
if not is_held(lock, owner, token) then
  return 0
end
if count ~= '0' then
  redis.call('HSET', lock, owner, count)
  return 1
end
redis.call('DEL', lock)
if redis.call('EXISTS', queue) == 1 then
  -- include queue.lua
  wake_first(queue, deadlines, channel_prefix, lock_name)
end
return 1
