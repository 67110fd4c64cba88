-- Takes a lock away from those who hold it, or for whom it is kept, with certain tokens; tells
-- the instances of those who hold it, and wakes those in front of its queue. What is no lock is
-- left alone. A lock that many share is gone through in several calls.
--
-- KEYS as keys.lua says, for one lock
-- ARGV[1] what the channels of instances begin with
-- ARGV[2] name of the lock, as its waiters know it
-- ARGV[3] smallest token
-- ARGV[4] greatest token
-- ARGV[5] server's time in ms from which on nothing is to be changed
-- ARGV[6] about how many shares to go through
-- ARGV[7] where to go on among the shares, as the call before said, or 0
--
-- Replies {1, holders it was taken from, as state.lua says, where to go on or 0 when all were gone
-- through, as text}, or {0} when it is too late.
--
-- Goes through shares by ZSCAN: its order does not change when shares are renewed, end or are taken
-- away meanwhile, so none is missed that is there from the first call to the last.
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
local mode, holders, sharers, go_on = held[1], {}, {}, '0'
if mode == 'shared' then
  local page = redis.call('ZSCAN', key.shares, ARGV[7], 'COUNT', ARGV[6])
  go_on = page[1]
  holders, sharers = sharing_holders(key, page[2])
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
return {1, released, go_on}
