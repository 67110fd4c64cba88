-- Makes tentative grants count, with the tokens that a quorum of nodes agrees on. The lease
-- begins now. The place in the queues stays: a quorum may not confirm.
--
-- KEYS as keys.lua says, for each lock
-- ARGV[1] owner
-- ARGV[2] lease in ms
-- ARGV[3] time in ms for which the last tokens are remembered from now on
-- ARGV[4] place in the queues, or an empty string for none
-- ARGV[2i+3] token that this node has granted for the i-th lock, or 0
-- ARGV[2i+4] token that the i-th lock gets; no less than that one
--
-- Replies {1, ..} or {0, ..} when the locks are not held with these tokens, or not all of
-- them, and {.., 1} when there is a place to give up, else {.., 0}. The last tokens are raised
-- in any case, so that a later grant gets a greater one.
--
-- Can be repeated.

local owner, lease, remembered, place = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4]

-- include time.lua
-- include keys.lua
-- include hold.lua
-- include held.lua
-- include token.lua
local function raise_last_token(key, token)
  local last = redis.call('GET', key.token) or '0'
  if not is_last_token(last) then
    fail_for_last_token()
  end
  if tonumber(last) < tonumber(token) then
    redis.call('SET', key.token, token, 'PX', remembered)
  elseif redis.call('PTTL', key.token) < tonumber(remembered) then
    redis.call('PEXPIRE', key.token, remembered)
  end
end

local function confirm(key, granted, token)
  raise_last_token(key, token)
  local held, ends = is_held(key.lock, key.shares, owner, granted)
  if not held then
    return is_held(key.lock, key.shares, owner, token)
  end
  redis.call('HSET', key.lock, owner, '1')
  if not ends or tonumber(redis.call('HGET', key.lock, 'token')) < tonumber(token) then
    redis.call('HSET', key.lock, 'token', token)
  end
  if ends then
    redis.call('ZREM', key.shares, granted .. '@' .. owner)
    redis.call('ZADD', key.shares, string.format('%.0f', math.max(ends, time_in_millis() + lease)),
      token .. '@' .. owner)
    settle_shares(key)
  elseif redis.call('PTTL', key.lock) < lease then
    redis.call('PEXPIRE', key.lock, lease)
  end
  return true
end

local held_all, queued = 1, 0
for i = 1, #KEYS / 6 do
  local key, granted, token = key_at(i), ARGV[2 * i + 3], ARGV[2 * i + 4]
  if not confirm(key, granted, token) then
    held_all = 0
  end
  if place ~= '' and redis.call('ZSCORE', key.queue, place) then
    queued = 1
  end
end
return {held_all, queued}
