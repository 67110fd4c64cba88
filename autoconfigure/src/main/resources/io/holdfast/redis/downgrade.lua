-- Turns an exclusive hold into a shared one, whose lease stays as it is.
--
-- KEYS as keys.lua says, for each lock
-- ARGV[1] owner
-- ARGV[2] hold count that is left
-- ARGV[3] owner that holds the locks in place of the holder (see hold.lua), or an empty string
-- ARGV[4] what the channels of instances begin with
-- ARGV[2i+3] token of the i-th lock
-- ARGV[2i+4] name of the i-th lock, as its waiters know it
--
-- Replies 1, or 0 when not all of the hold was held any more.
--
-- Can be repeated.

local owner, count, passed_to, channel_prefix = ARGV[1], ARGV[2], ARGV[3], ARGV[4]

-- include time.lua
-- include keys.lua
-- include hold.lua
-- include held.lua
-- include queue.lua
local function share(key, token)
  local ends = string.format('%.0f', time_in_millis() + redis.call('PTTL', key.lock))
  forget_shares(key)
  redis.call('HDEL', key.lock, 'claim', 'last', 'passed-to')
  redis.call('HSET', key.lock, owner, count, 'mode', 'shared')
  if passed_to ~= '' then
    redis.call('HSET', key.lock, 'passed-to', passed_to)
  end
  redis.call('ZADD', key.shares, ends, token .. '@' .. owner)
  settle_shares(key)
end

local held_all = 1
for i = 1, #KEYS / 6 do
  local key, token, lock_name = key_at(i), ARGV[2 * i + 3], ARGV[2 * i + 4]
  local held, ends = is_held(key.lock, key.shares, owner, token)
  if not held then
    held_all = 0
  elseif not ends then
    share(key, token)
    wake_front(key, channel_prefix, lock_name)
  end
end
return held_all
