-- Grants the exclusive lock of a key, or keeps a place in its queue.
--
-- KEYS[1] lock: hash of owner -> hold count, mode, token
-- KEYS[2] last fencing token
-- KEYS[3] queue    KEYS[4] deadlines (see queue.lua)
-- ARGV[1] owner
-- ARGV[2] lease in ms
-- ARGV[3] time in ms for which the last token is remembered after the lease
-- ARGV[4] greatest token of a hold of the owner that has ended, or 0
-- ARGV[5] place in the queue, or an empty string to not wait
-- ARGV[6] time in ms for which the place is kept
--
-- Replies {token} when granted, else {0, remaining ms, holder}.
--
-- Can be repeated: an owner that has the lock already gets the same token again, and the
-- lease is never made shorter, unless the token is the stale one in ARGV[4].

local lock, last_token, queue, deadlines = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local owner, lease, retention, stale_token = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local place, kept = ARGV[5], tonumber(ARGV[6])

local function next_token()
  local last = tonumber(redis.call('GET', last_token) or 0)
  local token = string.format('%.0f', math.max(last + 1, time_in_micros()))
  redis.call('SET', last_token, token, 'PX', lease + retention)
  return token
end

local function grant()
  local token = next_token()
  redis.call('HSET', lock, owner, 1, 'mode', 'exclusive', 'token', token)
  redis.call('PEXPIRE', lock, lease)
  if place ~= '' then
    give_up_place(queue, deadlines, place)
  end
  return {tonumber(token)}
end

local function confirm(token)
  if redis.call('PTTL', lock) < lease then
    redis.call('PEXPIRE', lock, lease)
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
  return grant()
end
if redis.call('HEXISTS', lock, owner) == 1 then
  local token = tonumber(redis.call('HGET', lock, 'token') or 0)
  if token > stale_token then
    return confirm(token)
  end
  return grant()
end
if place ~= '' then
  keep_place(queue, deadlines, place, kept)
end
return {0, redis.call('PTTL', lock), holder()}
