-- Takes tentative grants of an owner back, and wakes those in front of the queues. A grant
-- that counts is left alone: it belongs to another attempt.
--
-- KEYS as keys.lua says, for each lock
-- ARGV[1] owner
-- ARGV[2] what the channels of instances begin with
-- ARGV[2+i] name of the i-th lock, as its waiters know it
--
-- Replies how many locks were taken back.
--
-- Can be repeated.

local owner, channel_prefix = ARGV[1], ARGV[2]

-- include keys.lua
-- include hold.lua
-- include queue.lua
local taken = 0
for i = 1, #KEYS / 6 do
  local key = key_at(i)
  if redis.call('HGET', key.lock, owner) == '0' then
    taken = taken + 1
    take_away(key, owner)
    wake_front(key, channel_prefix, ARGV[2 + i])
  end
end
return taken
