-- Frees the locks of a hold, and wakes the first waiters.
--
-- KEYS as keys.lua says, for each lock
-- ARGV[1] owner
-- ARGV[2] what the channels of instances begin with
-- ARGV[2i+1] token of the i-th lock
-- ARGV[2i+2] name of the i-th lock, as its waiters know it
--
-- Replies 1, or 2 when one of the locks has waiters, or 0 when not all of the hold was held any more.
--
-- Can be repeated within some seconds, until another hold is released.

local owner, channel_prefix = ARGV[1], ARGV[2]

-- include time.lua
-- include held.lua
-- include keys.lua
-- include hold.lua
-- include queue.lua
-- include released.lua
-- Returns whether the lock was held, and its first waiter.
local function free(key, token, lock_name)
  local held, ends = is_held(key.lock, key.shares, owner, token)
  if ends then
    take_share_away(key, owner, token)
  elseif held then
    redis.call('DEL', key.lock)
  end
  if held then
    remember_release(key.lock, owner, token)
  end
  -- Held or not: a lease that runs out wakes no waiter
  return held or was_released(key.lock, owner, token), wake_front(key, channel_prefix, lock_name)
end

local held, waiting = 1, 0
for i = 1, #KEYS / 6 do
  local was_held, first = free(key_at(i), ARGV[2 * i + 1], ARGV[2 * i + 2])
  held = was_held and held or 0
  waiting = first and 1 or waiting
end
return held == 1 and held + waiting or 0
