-- Ends a hold without freeing its locks: for a rest of time their holder is <owner>:kept, which no caller is named. The
-- first waiters are woken to learn the time.
--
-- KEYS as keys.lua says, for each lock
-- ARGV[1] owner
-- ARGV[2] rest in ms
-- ARGV[3] time in ms for which the last tokens are remembered after that
-- ARGV[4] what the channels of instances begin with
-- ARGV[2i+3] token of the i-th lock
-- ARGV[2i+4] name of the i-th lock, as its waiters know it
--
-- Replies 1, or 0 when not all of the hold was held any more.
--
-- Can be repeated: kept locks stay as they are.

local owner, rest, retention, channel_prefix = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4]
local keeper = owner .. ':kept'

-- include time.lua
-- include keys.lua
-- include hold.lua
-- include held.lua
-- include queue.lua

local function keep_share(key, token)
  redis.call('ZREM', key.shares, token .. '@' .. owner)
  redis.call('ZADD', key.shares, string.format('%.0f', time_in_millis() + rest), token .. '@' .. keeper)
  settle_shares(key)
end

local function keep(key, token)
  local held, ends = is_held(key.lock, key.shares, owner, token)
  if not held then
    return is_held(key.lock, key.shares, keeper, token)
  end
  redis.call('HDEL', key.lock, owner)
  redis.call('HSET', key.lock, keeper, '1')
  if ends then
    keep_share(key, token)
  else
    redis.call('HDEL', key.lock, 'claim', 'last', 'passed-to')
    redis.call('PEXPIRE', key.lock, rest)
  end
  if redis.call('PTTL', key.token) < rest + retention then
    redis.call('PEXPIRE', key.token, rest + retention)
  end
  return true
end

local held_all = 1
for i = 1, #KEYS / 6 do
  local key, token, lock_name = key_at(i), ARGV[2 * i + 3], ARGV[2 * i + 4]
  if not keep(key, token) then
    held_all = 0
  end
  local first = first_waiter(key)
  if first then
    wake(first, channel_prefix, lock_name)
  end
end
return held_all
