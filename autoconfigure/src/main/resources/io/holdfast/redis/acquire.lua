-- Grants locks, all or none of them, or keeps a place in the queues of those in the way.
--
-- KEYS as keys.lua says, for each lock
-- ARGV[1] name of the claim (see queue.lua)
-- ARGV[2] holder: what the owner is called here when it is granted the locks
-- ARGV[3] mode: exclusive or shared
-- ARGV[4] lease in ms
-- ARGV[5] time in ms for which the last tokens are remembered from now on
-- ARGV[6] hold count: 1, or 0 for a grant that does not count before confirm.lua
-- ARGV[7] place in the queues, or an empty string to not wait
-- ARGV[8] time in ms for which the place is kept
-- ARGV[9] 1 when waiters are not to be overtaken, else 0
-- ARGV[10] 1 when the owner holds other locks, else 0
-- ARGV[11] what the channels of instances begin with
-- ARGV[12] 1 to take the place only where nothing but retained locks is in the way, else 0
-- ARGV[12+i] name of the i-th lock, as its waiters know it
--
-- Replies {token, ...} when granted, else {0, ms after which to try again, holder}, or with
-- an empty holder and the place that goes first. {token, holder} is the grant of one lock to
-- another holder, who has asked under the same claim before.
--
-- Can be repeated: a claim that has a lock already gets the same token again, and the lease is
-- never made shorter. A claim that was withdrawn is denied, and not queued.

local claim, holder, mode = ARGV[1], ARGV[2], ARGV[3]
local lease, remembered, count, place = ARGV[4], ARGV[5], ARGV[6], ARGV[7]
local is_fair, is_nested, channel_prefix = ARGV[9] == '1', ARGV[10] == '1', ARGV[11]
local only_behind_retained = ARGV[12] == '1'

-- For how long somebody else's grant that does not count yet is said to be in the way, in ms
local TENTATIVE = 20

-- include token.lua
local function grant_exclusive(lock, last_token)
  local token = next_token(last_token, remembered, 0)
  redis.call('HSET', lock, holder, count, 'mode', 'exclusive', 'token', token, 'claim', claim)
  redis.call('PEXPIRE', lock, lease)
  return tonumber(token)
end

-- include keys.lua
-- include hold.lua
-- include queue.lua
local function grant_share(key)
  local token = next_token(key.token, remembered, 0)
  if redis.call('EXISTS', key.lock) == 0 then
    forget_shares(key)
  end
  redis.call('HSET', key.lock, holder, count, 'mode', 'shared', 'token', token)
  redis.call('ZADD', key.shares, string.format('%.0f', time_in_millis() + lease), token .. '@' .. holder)
  settle_shares(key)
  return tonumber(token)
end

local function confirm(key)
  if mode == 'shared' then
    redis.call('ZADD', key.shares, 'GT', string.format('%.0f', time_in_millis() + lease),
      key.mine .. '@' .. holder)
    settle_shares(key)
  elseif redis.call('PTTL', key.lock) <= tonumber(lease) then
    redis.call('PEXPIRE', key.lock, lease)
  end
  return tonumber(key.mine)
end

local function first_holder(key)
  for _, field in ipairs(redis.call('HKEYS', key.lock)) do
    if string.find(field, ':', 1, true) then
      return field
    end
  end
  return ''
end

-- Looks at a lock. What this claim has already is kept in mind, and who has it.
local function look(key)
  settle(key)
  local held = redis.call('HMGET', key.lock, 'mode', 'claim', 'token', holder)
  if held[1] ~= mode then
    return
  end
  if mode == 'exclusive' and held[2] == claim then
    key.mine, key.holder = held[3], first_holder(key)
  elseif mode == 'shared' and held[4] then
    key.mine, key.holder = token_of_share(key, holder), holder
  end
end

-- Tells whether a waiter that came earlier is to be let go first, if it is fair or this one
-- is. Who has a lock already does not wait for one that may wait for that lock.
local function is_in_the_way(other)
  return not (mode == 'shared' and wants_share(other)) and not (is_nested and wants_several(other))
end

-- Returns the place of a waiter that goes first, and its deadline, or nil: for a fair waiter any
-- that came earlier, for others a fair one; for who wants a share only one that does not.
local function goes_before(key)
  if redis.call('EXISTS', key.queue) == 0 or not first_waiter(key) then
    return nil
  end
  local order = place ~= '' and redis.call('ZSCORE', key.queue, place)
  local before = order and '(' .. order or '+inf'
  local others = (is_fair or mode == 'shared') and key.queue or key.fair
  for _, other in ipairs(redis.call('ZRANGEBYSCORE', others, '-inf', before)) do
    local deadline = is_in_the_way(other) and deadline_of(key, other)
    if deadline then
      return other, deadline
    end
  end
end

-- Returns for how many ms a holder is in the way. A grant that does not count yet is decided
-- upon at once.
local function time_in_the_way(key, other)
  local remaining = redis.call('PTTL', key.lock)
  if other ~= '' and redis.call('HGET', key.lock, other) == '0' then
    return math.min(remaining, TENTATIVE)
  end
  return remaining
end

-- Returns the reply to an attempt that a lock stands in the way of, or nil.
local function denial(key)
  if key.mine then
    return nil
  end
  local held_mode, passed_to = unpack(redis.call('HMGET', key.lock, 'mode', 'passed-to'))
  local is_free = redis.call('EXISTS', key.lock) == 0
  if not is_free and not (mode == 'shared' and held_mode == 'shared' and redis.call('EXISTS', key.shares) == 1) then
    local other = first_holder(key)
    key.is_retained = not passed_to and string.sub(other, -9) == ':retained'
    return {0, time_in_the_way(key, other), passed_to or other}
  end
  local before, deadline = goes_before(key)
  if before then
    return {0, deadline - time_in_millis(), '', before}
  end
end

-- Tells the holder's instance that others wait from now on, or that a fair one does, if it may pass
-- the lock on without asking; or each time, if it does not use the lock.
local function tell_wanted(key, lock_name)
  local is_new_fair = is_fair and not redis.call('ZSCORE', key.queue, place)
  local is_new = is_new_fair or key.is_retained or redis.call('EXISTS', key.queue) == 0
  if is_new and redis.call('HGET', key.lock, 'last') then
    local instance = string.match(first_holder(key), '^([^:]+):')
    if instance then
      redis.call('PUBLISH', channel_prefix .. instance, (is_new_fair and '?fair ' or '? ') .. lock_name)
    end
  end
end

-- Waits for what is in the way, in order of arrival for all of the locks. A waiter that was
-- woken for a lock that is not in its way, and need not keep to that order, passes that on.
local function queue_up(key, lock_name, waits)
  local stays = waits and (key.denial or is_fair)
  if key.mine then
    take_away(key, holder)
    key.is_freed = true
  end
  if stays then
    give_up_overdue(key)
    tell_wanted(key, lock_name)
    keep_place(key, place, tonumber(ARGV[8]), is_fair)
  elseif not key.denial then
    give_up_place(key, place)
  end
  if key.is_freed or not stays and not key.denial then
    wake_front(key, channel_prefix, lock_name)
  end
end

-- All locks, and which of them is being dealt with
local keys, at = {}, 1

-- A waiter for several keys whose place in one of the queues has run out has lost all of
-- them. If it kept the others, it and another might be in each other's way for ever.
local function lose_order()
  local kept = {}
  for i, key in ipairs(keys) do
    at = i
    give_up_overdue(key)
    if redis.call('ZSCORE', key.queue, place) then
      kept[#kept + 1] = key
    end
  end
  if #kept < #keys then
    for _, key in ipairs(kept) do
      give_up_place(key, place)
      key.is_freed = true
    end
  end
end

local function attempt()
  for i, key in ipairs(keys) do
    at = i
    if is_withdrawn(key, claim) then
      return {0, 0, ''}
    end
  end

  local denied, retained
  if is_fair and place ~= '' and #keys > 1 then
    lose_order()
  end
  for i, key in ipairs(keys) do
    at = i
    look(key)
    key.denial = denial(key)
    if key.is_retained then
      retained = retained or key.denial
    else
      denied = denied or key.denial
    end
  end
  local waits = place ~= '' and not (only_behind_retained and denied)
  denied = denied or retained

  if denied then
    for i, key in ipairs(keys) do
      at = i
      queue_up(key, ARGV[12 + i], waits)
    end
    return denied
  end

  local tokens = {}
  for i, key in ipairs(keys) do
    at = i
    if place ~= '' and count ~= '0' then
      give_up_place(key, place)
    end
    if key.mine then
      tokens[i] = confirm(key)
      if key.holder ~= holder then
        tokens[i + 1] = key.holder
      end
    elseif mode == 'shared' then
      tokens[i] = grant_share(key)
    else
      tokens[i] = grant_exclusive(key.lock, key.token)
    end
  end
  return tokens
end

-- Says which of several locks is the one under whose keys there is something else.
local function failure(cause)
  local problem = type(cause) == 'table' and cause.err or tostring(cause)
  if string.find(problem, 'WRONGTYPE', 1, true) or string.find(problem, 'What should be', 1, true) then
    return problem .. " (lock '" .. ARGV[12 + at] .. "')"
  end
  return cause
end

for i = 1, #KEYS / 6 do
  keys[i] = key_at(i)
end
if #keys == 1 then
  return attempt()
end
local is_done, reply = pcall(attempt)
return is_done and reply or error(failure(reply), 0)
