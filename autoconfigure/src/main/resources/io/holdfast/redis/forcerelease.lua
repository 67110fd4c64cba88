-- Takes a lock from the holders with certain tokens, and what is kept with them; tells the holders' instances, and
-- wakes the first waiters. Foreign values stay.
--
-- KEYS as keys.lua says, for one lock
-- ARGV[1] what the channels of instances begin with
-- ARGV[2] name of the lock, as its waiters know it
-- ARGV[3] smallest token
-- ARGV[4] greatest token
-- ARGV[5] server's time in ms from which on nothing is to be changed
--
-- Replies {1, {holder, ...} it was taken from, as state.lua says}, or {0} when it is too late.
--
-- Can be repeated.

local channel_prefix, lock_name = ARGV[1], ARGV[2]
local smallest, greatest = tonumber(ARGV[3]), tonumber(ARGV[4])

-- include time.lua
-- include keys.lua
-- include hold.lua
-- include queue.lua
-- include state.lua
local function tell(owner, token)
  local instance, name = string.match(owner, '^([^:]+):(.*)$')
  if instance and string.sub(owner, -5) ~= ':kept' then
    redis.call('PUBLISH', channel_prefix .. instance, '!' .. name .. '@' .. token .. ' ' .. lock_name)
  end
end

local key = key_at(1)
if time_in_millis() >= tonumber(ARGV[5]) then
  return {0}
end

local held = redis.call('HMGET', key.lock, 'mode', 'token')
local mode, holders, sharers = held[1], {}, {}
if mode == 'shared' then
  holders, sharers = sharing_holders(key, redis.call('ZRANGE', key.shares, 0, -1, 'WITHSCORES'))
elseif mode == 'exclusive' then
  holders = exclusive_holders(key, held[2])
end

local released = {}
for i = 1, #holders, 4 do
  local owner, token = holders[i], holders[i + 2]
  if tonumber(token) >= smallest and tonumber(token) <= greatest then
    for j = i, i + 3 do
      released[#released + 1] = holders[j]
    end
    if mode == 'shared' then
      redis.call('ZREM', key.shares, token .. '@' .. sharers[token])
      redis.call('HDEL', key.lock, sharers[token])
    else
      redis.call('DEL', key.lock)
    end
    tell(owner, token)
  end
end
if #released > 0 then
  if mode == 'shared' then
    settle_shares(key)
  end
  give_up_overdue(key)
  wake_front(key, channel_prefix, lock_name)
end
return {1, released}
