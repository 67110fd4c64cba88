-- Gives up a place in a queue. Whoever leaves may have been woken for a lock that is free:
-- then the next one is.
--
-- KEYS[1] lock
-- KEYS[2] queue    KEYS[3] deadlines (see queue.lua)
-- ARGV[1] place
-- ARGV[2] what the channels of instances begin with
-- ARGV[3] name of the lock, as its waiters know it

local lock, queue, deadlines = KEYS[1], KEYS[2], KEYS[3]
local place, channel_prefix, lock_name = ARGV[1], ARGV[2], ARGV[3]

-- include queue.lua
give_up_place(queue, deadlines, place)
if redis.call('EXISTS', lock) == 0 then
  wake_first(queue, deadlines, channel_prefix, lock_name)
end
return 1
