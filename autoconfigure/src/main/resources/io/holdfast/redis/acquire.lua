-- Grants the exclusive lock of a key, or keeps a place in its queue.
--
-- KEYS[1] lock: hash of owner -> hold count, mode, token
-- KEYS[2] last fencing token
-- KEYS[3] queue    KEYS[4] deadlines (see queue.lua)
-- ARGV[1] owner
-- ARGV[2] lease in ms
-- ARGV[3] time in ms for which the last token is remembered from now on
-- ARGV[4] greatest token of a hold of the owner that has ended, or 0
-- ARGV[5] place in the queue, or an empty string to not wait
-- ARGV[6] time in ms for which the place is kept
--
-- Replies {token} when granted, else {0, remaining ms, holder}.
--
-- Can be repeated: an owner that has the lock already gets the same token again, and the
-- lease is never made shorter, unless the token is the stale one in ARGV[4].

local lock, last_token, queue, deadlines = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local owner, lease, remembered, stale_token, place = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]

-- include token.lua
local function grant()
  local token = next_token(last_token, remembered, 0)
  redis.call('HSET', lock, owner, '1', 'mode', 'exclusive', 'token', token)
  redis.call('PEXPIRE', lock, lease)
  return {tonumber(token)}
end

-- Nobody there, nobody waiting
if redis.call('EXISTS', lock, queue) == 0 then
  return grant()
end

-- include queue.lua
local function grant_to_waiter()
  if place ~= '' then
    give_up_place(queue, deadlines, place)
  end
  return grant()
end

local function confirm(token)
  if redis.call('PTTL', lock) < tonumber(lease) then
    redis.call('PEXPIRE', lock, lease)
  end
  if place ~= '' then
    give_up_place(queue, deadlines, place)
  end
  return {token}
end

local function holder()
  for _, field in ipairs(redis.call('HKEYS', lock)) do
    if field ~= 'mode' and field ~= 'token' then
      return field
    end
  end
  return ''
end

if redis.call('EXISTS', lock) == 0 then
  return grant_to_waiter()
end
if redis.call('HEXISTS', lock, owner) == 1 then
  local token = tonumber(redis.call('HGET', lock, 'token') or 0)
  if token > tonumber(stale_token) then
    return confirm(token)
  end
  return grant_to_waiter()
end
if place ~= '' then
  keep_place(queue, deadlines, place, tonumber(ARGV[6]))
end
return {0, redis.call('PTTL', lock), holder()}
