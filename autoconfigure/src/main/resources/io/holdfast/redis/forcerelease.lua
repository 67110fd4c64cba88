-- Takes a lock away from those who hold it, or for whom it is kept, with certain tokens; tells
-- their instances, and wakes those in front of its queue. What is no lock is left alone. A lock
-- that many share is gone through in several calls.
--
-- KEYS as keys.lua says, for one lock
-- ARGV[1] what the channels of instances begin with
-- ARGV[2] name of the lock, as its waiters know it
-- ARGV[3] smallest token
-- ARGV[4] greatest token
-- ARGV[5] server's time in ms from which on nothing is to be changed
-- ARGV[6] how many shares to go through at most
-- ARGV[7] how many shares to leave out, which were gone through before and stay
--
-- Replies {1, holders it was taken from, as state.lua says, how many shares to leave out next or
-- -1}, or {0} when it is too late.
--
-- Can be repeated.

local channel_prefix, lock_name = ARGV[1], ARGV[2]
local smallest, greatest, most, left_out = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[6]), tonumber(ARGV[7])

-- include keys.lua
-- include hold.lua
-- include queue.lua
-- include state.lua
local function tell(owner, token)
  local instance, name = string.match(owner, '^([^:]+):(.*)$')
  if instance then
    redis.call('PUBLISH', channel_prefix .. instance, '!' .. name .. '@' .. token .. ' ' .. lock_name)
  end
end

local key = key_at(1)
if time_in_millis() >= tonumber(ARGV[5]) then
  return {0}
end

local held = redis.call('HMGET', key.lock, 'mode', 'token')
local mode, holders, seen = held[1], {}, 0
if mode == 'shared' then
  holders, seen = sharing_holders(key, left_out, most)
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
      redis.call('ZREM', key.shares, token .. '@' .. owner)
      redis.call('HDEL', key.lock, owner)
    else
      redis.call('DEL', key.lock, key.shares)
    end
    tell(owner, token)
  end
end
if #released > 0 then
  if mode == 'shared' then
    settle_shares(key)
  end
  wake_front(key, channel_prefix, lock_name)
end
return {1, released, seen == most and left_out + seen - #released / 4 or -1}
