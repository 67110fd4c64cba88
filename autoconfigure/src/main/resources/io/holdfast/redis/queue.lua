-- Functions shared by the scripts that deal with a key's queue.
--
-- A queue is two sorted sets with the same members, the places of the waiters:
--   queue      scored by order of arrival
--   deadlines  scored by the time in ms after which the waiter no longer counts
-- A place is called <instance>:<anything>; its instance is woken on a channel of its own.

local function time_in_micros()
  local now = redis.call('TIME')
  return now[1] * 1000000 + now[2]
end

-- Takes a place at the end, or keeps the one that is there, for so many ms from now on.
local function keep_place(queue, deadlines, place, kept)
  local now = time_in_micros()
  local last = redis.call('ZREVRANGE', queue, 0, 0, 'WITHSCORES')
  local order = math.max(now, (tonumber(last[2]) or 0) + 1)
  redis.call('ZADD', queue, 'NX', string.format('%.0f', order), place)
  redis.call('ZADD', deadlines, string.format('%.0f', now / 1000 + kept), place)
  for _, key in ipairs({queue, deadlines}) do
    if redis.call('PTTL', key) < kept then
      redis.call('PEXPIRE', key, kept)
    end
  end
end

local function give_up_place(queue, deadlines, place)
  redis.call('ZREM', queue, place)
  redis.call('ZREM', deadlines, place)
end

-- Returns the first place whose waiter still counts, or nil. Places of others before it
-- are given up.
local function first_waiter(queue, deadlines)
  local now = string.format('%.0f', time_in_micros() / 1000)
  for _, place in ipairs(redis.call('ZRANGEBYSCORE', deadlines, '-inf', '(' .. now)) do
    give_up_place(queue, deadlines, place)
  end
  return redis.call('ZRANGE', queue, 0, 0)[1]
end

-- Tells the instance of a waiter to try the lock now.
local function wake(place, channel_prefix, lock_name)
  redis.call('PUBLISH', channel_prefix .. string.match(place, '^[^:]+'), lock_name)
end

local function wake_first(queue, deadlines, channel_prefix, lock_name)
  local first = first_waiter(queue, deadlines)
  if first then
    wake(first, channel_prefix, lock_name)
  end
end
