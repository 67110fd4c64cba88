-- Frees the locks of a hold, and wakes those in front of their queues.
--
-- KEYS as keys.lua says, for each lock
-- ARGV[1] owner
-- ARGV[2] what the channels of instances begin with
-- ARGV[2i+1] token of the i-th lock
-- ARGV[2i+2] name of the i-th lock, as its waiters know it
--
-- Replies 1 or, when somebody waits for one of the locks, 2; or 0 when the hold was not held any more,
-- or not all of it.

local owner, channel_prefix = ARGV[1], ARGV[2]

-- include time.lua
-- include held.lua
-- include keys.lua
-- include hold.lua
-- include queue.lua
-- Returns whether the lock was held, and who waits for it, if anybody does.
local function free(key, token, lock_name)
  local held, ends = is_held(key.lock, key.shares, owner, token)
  if ends then
    take_share_away(key, owner, token)
  elseif held then
    redis.call('DEL', key.lock)
  end
  -- In any case: that the lease ran out a moment ago is not told
  return held, wake_front(key, channel_prefix, lock_name)
end

local held, waiting = 1, 0
for i = 1, #KEYS / 6 do
  local was_held, first = free(key_at(i), ARGV[2 * i + 1], ARGV[2 * i + 2])
  held = was_held and held or 0
  waiting = first and 1 or waiting
end
return held == 1 and held + waiting or 0
