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
-- after them, of independent masters only: number of this node, beginning with 0, and how many there are
--
-- Replies {token, ...} when granted, else {0, ms after which to try again, holder}, or with
-- an empty holder and the place that goes first. {token, holder} is the grant of one lock to
-- another holder, who has asked under the same claim before. {token, how many others wait, last
-- token} is that of one lock which may be passed on, to a waiter that is not fair.
--
-- Can be repeated: a claim that has a lock already gets the same token again, and the lease is
-- never made shorter. A claim that was withdrawn is denied, and not queued.

local claim, holder, mode = ARGV[1], ARGV[2], ARGV[3]
local lease, remembered, count, place = ARGV[4], ARGV[5], ARGV[6], ARGV[7]
local is_fair, is_nested, channel_prefix = ARGV[9] == '1', ARGV[10] == '1', ARGV[11]
local only_behind_retained = ARGV[12] == '1'
local node, nodes = tonumber(ARGV[13 + #KEYS / 6] or 0), tonumber(ARGV[14 + #KEYS / 6] or 1)

-- For how long somebody else's grant that does not count yet is said to be in the way, in ms
local TENTATIVE = 20

-- How many tokens more a waiter gets, to pass the lock on with
local MORE = 63

-- The deadline of the place, if it has had one
local place_deadline

-- Returns the reply that grants one exclusive lock, to a waiter with more tokens unless it or another is fair. The
-- server's time is not known here, but the token is no less: a place may count as overdue too early, which does
-- no harm.
local function granted(token, has_fair)
  if has_fair or count == '0' or not place_deadline or place_deadline * 1000 < tonumber(token) then
    return {tonumber(token)}
  end
  local last = string.format('%.0f', math.min(token + MORE, 2 ^ 53 - 1))
  redis.call('SET', KEYS[2], last, 'KEEPTTL')
  redis.call('HSET', KEYS[1], 'last', last)
  return {tonumber(token), redis.call('ZCOUNT', KEYS[4], token / 1000, '+inf'), tonumber(last)}
end

-- include time.lua
-- include keys.lua
-- include token.lua
-- include queue.lua
-- include hold.lua
local function grant_exclusive(key)
  local token = next_token(key.token, remembered, 0, node, nodes)
  redis.call('HSET', key.lock, 'token', token, 'claim', claim, holder, count, 'mode', 'exclusive')
  redis.call('PEXPIRE', key.lock, lease)
  return token
end

local function grant_share(key)
  -- Another share may last longer
  local token = next_token(key.token, math.max(tonumber(remembered), redis.call('PTTL', key.token)), 0,
    node, nodes)
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
  if redis.call('PTTL', key.token) < tonumber(remembered) then
    redis.call('PEXPIRE', key.token, remembered)
  end
  return tonumber(key.mine)
end

-- Returns the first holder, or an empty string, and its hold count.
local function first_holder(key)
  local fields = redis.call('HGETALL', key.lock)
  for i = 1, #fields, 2 do
    if string.find(fields[i], ':', 1, true) then
      return fields[i], fields[i + 1]
    end
  end
  return ''
end

local function read(key)
  local held = redis.call('HMGET', key.lock, 'mode', 'claim', 'token', holder, 'last', 'passed-to')
  key.mode, key.claim, key.granted, key.count, key.last, key.passed_to = unpack(held, 1, 6)
end

-- Looks at a lock. What this claim has already is kept in mind, and who has it.
local function look(key)
  read(key)
  if key.mode == 'shared' then
    settle_shares(key)
    read(key)
  end
  if key.mode ~= mode then
    return
  end
  if mode == 'exclusive' and key.claim == claim then
    key.mine, key.holder = key.granted, first_holder(key)
  elseif mode == 'shared' and key.count then
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
  if redis.call('EXISTS', key.queue) == 0 then
    return nil
  end
  local order = still_counts(key.deadline) and redis.call('ZSCORE', key.queue, place)
  local before = order and '(' .. order or '+inf'
  local others = (is_fair or mode == 'shared') and key.queue or key.fair
  for _, other in ipairs(redis.call('ZRANGEBYSCORE', others, '-inf', before)) do
    local deadline = is_in_the_way(other) and deadline_of(key, other)
    if deadline then
      return other, deadline
    end
  end
end

-- Returns the reply to an attempt that a lock stands in the way of, or nil.
local function denial(key)
  if key.mine then
    return nil
  end
  local is_free = not key.mode and redis.call('EXISTS', key.lock) == 0
  if not is_free and not (mode == 'shared' and key.mode == 'shared' and redis.call('EXISTS', key.shares) == 1) then
    local other, other_count = first_holder(key)
    local remaining = redis.call('PTTL', key.lock)
    local name = name_of(other, key.passed_to)
    key.first_holder, key.is_retained = other, string.find(name, ':retained$')
    -- A grant that does not count yet is decided upon at once
    return {0, other_count == '0' and math.min(remaining, TENTATIVE) or remaining, name}
  end
  local before, deadline = goes_before(key)
  if before then
    return {0, deadline - time_in_millis(), '', before}
  end
end

-- Tells the holder's instance that others wait from now on, or that a fair one does, if it may pass
-- the lock on without asking; or each time, if it does not use the lock.
local function tell_wanted(key, lock_name)
  local is_new_fair = is_fair and not still_counts(key.deadline)
  if key.first_holder and key.last and (is_new_fair or key.is_retained or not first_waiter(key)) then
    local instance = string.match(key.first_holder, '^([^:]+):')
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
    tell_wanted(key, lock_name)
    keep_place(key, place, tonumber(ARGV[8]), is_fair, key.deadline)
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
      key.is_freed, key.deadline = true, nil
    end
  end
end

local function attempt()
  for i, key in ipairs(keys) do
    at = i
    local is_denied, deadline = is_withdrawn(key.deadlines, claim, place)
    if is_denied then
      return {0, 0, ''}
    end
    key.deadline = deadline
    place_deadline = place_deadline or deadline
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
      local has_fair = is_fair or #keys == 1 and has_fair_waiter(key)
      local token = grant_exclusive(key)
      if #keys == 1 then
        return granted(token, has_fair)
      end
      tokens[i] = tonumber(token)
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
