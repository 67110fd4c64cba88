-- Gives up a place in queues. Whoever leaves may have been woken, or have kept others from
-- sharing the lock: then those in front are woken.
--
-- KEYS as keys.lua says, for each lock
-- ARGV[1] place
-- ARGV[2] what the channels of instances begin with
-- ARGV[2+i] name of the i-th lock, as its waiters know it

local place, channel_prefix = ARGV[1], ARGV[2]

-- include keys.lua
-- include queue.lua
for i = 1, #KEYS / 6 do
  local key = key_at(i)
  give_up_place(key, place)
  wake_front(key, channel_prefix, ARGV[2 + i])
end
return 1
