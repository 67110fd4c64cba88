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
-- Replies 1, or 0 when the hold was not held any more, or not all of it.

local owner, count, channel_prefix = ARGV[1], ARGV[2], ARGV[3]

-- include held.lua
-- One exclusive lock that is freed, nobody waiting
if #KEYS == 6 and count == '0' then
  local held, ends = is_held(KEYS[1], KEYS[6], owner, ARGV[4])
  if not held then
    return 0
  end
  if not ends and redis.call('EXISTS', KEYS[3]) == 0 then
    redis.call('DEL', KEYS[1])
    return 1
  end
end

-- include keys.lua
-- include hold.lua
local function reduce(key, token)
  local held = is_held(key.lock, key.shares, owner, token)
  if held then
    set_count(key, owner, count)
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

local held = 1
for i = 1, #KEYS / 6 do
  local key, token, lock_name = key_at(i), ARGV[2 * i + 2], ARGV[2 * i + 3]
  if count ~= '0' then
    held = reduce(key, token) and held or 0
  elseif not free(key, token) then
    held = 0
  elseif redis.call('EXISTS', key.queue) == 1 then
    -- include queue.lua
    wake_front(key, channel_prefix, lock_name)
  end
end
return held
