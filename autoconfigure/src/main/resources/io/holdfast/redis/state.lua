-- Functions for operators' views; need hold.lua and queue.lua.
--
-- A holder is four values: owner, hold count, token and time left in ms (negative for no end). Grants that do not count
-- yet, holds that have run out and foreign values are left out. A hash without a mode is an error.

-- Most fields of the hash of an exclusive lock
local MOST_FIELDS = 16

local function is_number(text, digits)
  return text and #text <= digits and string.find(text, '^%d+$')
end

local function add_holder(holders, owner, count, token, remaining)
  if is_number(count, 9) and tonumber(count) > 0 and is_number(token, 18) then
    for _, value in ipairs({owner, count, token, string.format('%.0f', remaining)}) do
      holders[#holders + 1] = value
    end
  end
end

local function exclusive_holders(key, token)
  local holders = {}
  if redis.call('HLEN', key.lock) <= MOST_FIELDS then
    local fields, remaining = redis.call('HGETALL', key.lock), redis.call('PTTL', key.lock)
    local passed_to = redis.call('HGET', key.lock, 'passed-to')
    for i = 1, #fields, 2 do
      if string.find(fields[i], ':', 1, true) then
        add_holder(holders, present_owner(fields[i], passed_to), fields[i + 1], token, remaining)
      end
    end
  end
  return holders
end

-- Returns the holders of shares, each of which comes with the time in ms at which it ends. The second result are their
-- names, by token.
local function sharing_holders(key, shares)
  local now, holders, sharers = time_in_millis(), {}, {}
  local passed_to = redis.call('HGET', key.lock, 'passed-to')
  for i = 1, #shares, 2 do
    local token, sharer = string.match(shares[i], '^(%d+)@(.*)$')
    local remaining = tonumber(shares[i + 1]) - now
    if sharer and remaining > 0 then
      add_holder(holders, present_owner(sharer, passed_to), redis.call('HGET', key.lock, sharer), token, remaining)
      sharers[token] = sharer
    end
  end
  return holders, sharers
end

-- Returns the first places in the queue that still count, between some that don't, and how many do in all of it.
local function waiting(key, most)
  local places, now = {}, time_in_micros() / 1000
  for _, place in ipairs(redis.call('ZRANGE', key.queue, 0, 10 * most - 1)) do
    if #places < most and tonumber(redis.call('ZSCORE', key.deadlines, place) or 0) >= now then
      places[#places + 1] = place
    end
  end
  return places, redis.call('ZCOUNT', key.deadlines, string.format('%.0f', now), '+inf')
end

-- Returns what look.lua replies for a lock.
local function state_of(key, most)
  local held = redis.call('HMGET', key.lock, 'mode', 'token', 'permits')
  local mode, token, holders, shares = held[1], held[2], {}, {}
  local now = string.format('(%.0f', time_in_millis())
  if mode == 'shared' then
    shares = redis.call('ZRANGEBYSCORE', key.shares, now, '+inf', 'WITHSCORES', 'LIMIT', 0, most)
    holders = sharing_holders(key, shares)
  elseif mode == 'exclusive' then
    holders = exclusive_holders(key, token)
  elseif not mode and redis.call('EXISTS', key.lock) == 1 then
    error('What should be a lock is none', 0)
  end
  local count = #holders / 4
  if #shares / 2 == most then
    count = redis.call('ZCOUNT', key.shares, now, '+inf')
  end
  local places, waiters = waiting(key, most)
  return {#holders > 0 and mode or '', holders, count, places, waiters,
    is_number(token, 18) and token or '0', string.format('%.0f', time_in_millis()),
    is_number(held[3], 9) and tonumber(held[3]) or 0}
end
