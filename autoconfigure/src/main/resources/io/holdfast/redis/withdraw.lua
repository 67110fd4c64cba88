-- Gives up a claim: takes away what it was granted and the place in the queues, and wakes those in front. The one that
-- leaves may have been woken, or have kept others from sharing the lock.
--
-- KEYS as keys.lua says, for each lock
-- ARGV[1] name of the claim (see queue.lua)
-- ARGV[2] what it is called as the holder of a shared lock, or an empty string
-- ARGV[3] time in ms for which requests of the claim are denied from now on, or 0
-- ARGV[4] place in the queues, or an empty string for none
-- ARGV[5] what the channels of instances begin with
-- ARGV[5+i] name of the i-th lock, as its waiters know it
--
-- Can be repeated.

local claim, sharer, refused, place, channel_prefix = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4], ARGV[5]

-- include time.lua
-- include keys.lua
-- include hold.lua
-- include queue.lua
local function has_claim(key)
  local held = redis.call('HMGET', key.lock, 'mode', 'claim', sharer)
  if held[1] == 'shared' then
    return sharer ~= '' and held[3]
  end
  return sharer == '' and held[1] and held[2] == claim
end

for i = 1, #KEYS / 6 do
  local key = key_at(i)
  if redis.call('HGET', key.lock, 'mode') == 'shared' then
    settle_shares(key)
  end
  local is_taken = has_claim(key)
  if is_taken then
    take_away(key, sharer)
  end
  if refused > 0 then
    refuse(key, claim, refused)
  end
  if place ~= '' then
    give_up_place(key, place)
  end
  if is_taken or place ~= '' then
    wake_front(key, channel_prefix, ARGV[5 + i])
  end
end
return 1
