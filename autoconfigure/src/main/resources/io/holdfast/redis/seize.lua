-- Takes a lock away from all who hold it, or for whom it is kept, tells their instances, and
-- wakes those in front of its queue. What is no lock is left alone.
--
-- KEYS as keys.lua says, for one lock
-- ARGV[1] what the channels of instances begin with
-- ARGV[2] name of the lock, as its waiters know it
-- ARGV[3] how many places of the queue to tell at most
--
-- Replies what state.lua says, as it was before.

local channel_prefix, lock_name = ARGV[1], ARGV[2]

-- include keys.lua
-- include hold.lua
-- include queue.lua
-- include state.lua
local key = key_at(1)
local state = state_of(key, tonumber(ARGV[3]))
local holders = state[2]
if #holders > 0 then
  redis.call('DEL', key.lock, key.shares)
  for i = 1, #holders, 4 do
    local instance, owner = string.match(holders[i], '^([^:]+):(.*)$')
    if instance then
      redis.call('PUBLISH', channel_prefix .. instance, '!' .. owner .. '@' .. holders[i + 2] .. ' ' .. lock_name)
    end
  end
  wake_front(key, channel_prefix, lock_name)
end
return state
