-- Reduces the hold count of a hold; a count of zero frees its locks and wakes those in front
-- of their queues.
--
-- KEYS as keys.lua says, for each lock
-- ARGV[1] owner
-- ARGV[2] hold count that is left
-- ARGV[3] what the channels of instances begin with
-- ARGV[2i+2] token of the i-th lock
-- ARGV[2i+3] name of the i-th lock, as its waiters know it
--
-- Replies 1 or, when somebody waits for one of the locks, 2; or 0 when the hold was not held any more,
-- or not all of it.

local owner, count, channel_prefix = ARGV[1], ARGV[2], ARGV[3]

-- include held.lua
-- include keys.lua
-- include hold.lua
local function reduce(key, token)
  local held = is_held(key.lock, key.shares, owner, token)
  if held then
    set_field(key, owner, count)
  end
  return held
end

local function free(key, token)
  local held, ends = is_held(key.lock, key.shares, owner, token)
  if ends then
    take_share_away(key, owner, token)
  elseif held then
    redis.call('DEL', key.lock)
  end
  return held
end

local held, waiting = 1, 0
for i = 1, #KEYS / 6 do
  local key, token, lock_name = key_at(i), ARGV[2 * i + 2], ARGV[2 * i + 3]
  if count ~= '0' then
    held = reduce(key, token) and held or 0
  elseif not free(key, token) then
    held = 0
  elseif redis.call('EXISTS', key.queue) == 1 then
    waiting = 1
    -- include queue.lua
    wake_front(key, channel_prefix, lock_name)
  end
end
return held == 1 and held + waiting or 0
