-- Functions for scripts that try to acquire locks; need time.lua, keys.lua, queue.lua and hold.lua.
--
-- KEYS as keys.lua says, for each lock
-- ARGV[1] name of the claim (see queue.lua)
-- ARGV[2] holder: the owner's name here when it is granted the locks
-- ARGV[3] mode: exclusive or shared
-- ARGV[4] lease in ms
-- ARGV[5] time in ms for which the last tokens are remembered from now on
-- ARGV[6] place in the queues, or an empty string to not wait
-- ARGV[7] time in ms for which the place is kept if it is the first (see queue.lua)
-- ARGV[8] 1 to get one lock in order of arrival, else 0
-- ARGV[9] what the channels of instances begin with
-- ARGV[10] for a shared mode, how many may hold the locks at a time; 0 for any number
-- and at the end the name of each lock, as its waiters know it

local claim, holder, mode = ARGV[1], ARGV[2], ARGV[3]
local lease, remembered, place = ARGV[4], ARGV[5], ARGV[6]
local is_fair, channel_prefix, permits = ARGV[8] == '1', ARGV[9], tonumber(ARGV[10])

local keys = {}
for i = 1, #KEYS / 6 do
  keys[i] = key_at(i)
end

-- Of the place in the queue where it is in front (see queue.lua)
local position

local function name_of_lock(i)
  return ARGV[#ARGV - #keys + i]
end

-- Grants a lock with a token. A hold count of 0 is a grant that does not count yet.
local function grant(key, token, count)
  if mode == 'exclusive' then
    redis.call('HSET', key.lock, 'token', token, 'claim', claim, holder, count, 'mode', 'exclusive')
    redis.call('PEXPIRE', key.lock, lease)
    return
  end
  if redis.call('EXISTS', key.lock) == 0 then
    forget_shares(key)
  end
  redis.call('HSET', key.lock, holder, count, 'mode', 'shared', 'token', token)
  if permits > 0 then
    redis.call('HSET', key.lock, 'permits', permits)
  end
  redis.call('ZADD', key.shares, string.format('%.0f', time_in_millis() + lease), token .. '@' .. holder)
  settle_shares(key)
end

-- Returns for how long the last token is remembered when the lock is granted: another share may last longer.
local function token_lasts(key)
  return mode == 'exclusive' and remembered or math.max(tonumber(remembered), redis.call('PTTL', key.token))
end

-- Has a grant last for the lease from now on, and returns its token.
local function prolong(key)
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

-- Looks at a lock, and notes what this claim has of it already, and its holder.
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

-- Returns the scores of the places before this one, by order of arrival.
local function scores_before(key)
  local order = still_counts(key.deadline) and redis.call('ZSCORE', key.queue, place)
  return '-inf', order and '(' .. order or '+inf'
end

-- A claim overtakes no fair waiter that it would keep out, a sharer none that wants the lock exclusively, and a fair
-- exclusive claim none at all. An exclusive claim that is not fair looks at fair waiters only.
local function must_not_overtake(key, other, taken)
  local shares = mode == 'shared' and wants_share(other)
  return not shares or taken + 1 >= most_with(other) and redis.call('ZSCORE', key.fair, other)
end

-- Returns the place of a waiter that goes first, and its deadline, or nil. The permits that are left belong to those
-- that came first, one for each; a claim that barges leaves them to fair ones only.
local function goes_before(key, taken, barges)
  local first, first_deadline
  local set, seen, page = (is_fair or mode == 'shared') and key.queue or key.fair, 0
  local from, to = scores_before(key)
  repeat
    page = redis.call('ZRANGEBYSCORE', set, from, to, 'LIMIT', seen, PAGE)
    for _, other in ipairs(page) do
      local is_in_the_way = must_not_overtake(key, other, taken)
      local comes_first = is_in_the_way or taken < most_with(other)
        and (permits > 0 and not barges or redis.call('ZSCORE', key.fair, other))
      local deadline = comes_first and deadline_of(key, other)
      if deadline and is_in_the_way then
        return other, deadline
      elseif deadline then
        taken, first, first_deadline = taken + 1, first or other, first_deadline or deadline
      end
      if permits > 0 and taken >= permits then
        return first, first_deadline
      end
      -- One whose time is over is no longer in the way of the next page
      seen = (deadline or not comes_first) and seen + 1 or seen
    end
  until #page < PAGE
end

-- Returns the reply to an attempt for which all permits are taken. The time is that of the share whose end lets this one
-- in, if all others stay.
local function denial_of_permit(key, taken)
  give_up_overdue(key)
  local before = redis.call('ZCOUNT', key.queue, scores_before(key))
  local last = math.min(taken - permits + before, taken - 1)
  local first = redis.call('ZRANGE', key.shares, 0, 0)[1]
  local ends = redis.call('ZRANGE', key.shares, last, last, 'WITHSCORES')[2]
  return {0, ends - time_in_millis(), present_owner(sharer_of(first), key.passed_to), taken = taken}
end

-- Returns the reply to an attempt that a lock stands in the way of, or nil: the time in ms after which to try again
-- and the holder, or an empty string and, beside the reply, the place that goes first.
local function denial(key, is_one_try)
  if key.mine then
    return nil
  end
  local is_free = not key.mode and redis.call('EXISTS', key.lock) == 0
  if not is_free and not (mode == 'shared' and key.mode == 'shared' and redis.call('EXISTS', key.shares) == 1) then
    local other, count = first_holder(key)
    key.first_holder = other
    return {0, redis.call('PTTL', key.lock), present_owner(other, key.passed_to), count = count}
  end
  local taken = mode == 'shared' and key.mode and number_of_shares(key) or 0
  if permits > 0 and taken >= permits then
    return denial_of_permit(key, taken)
  elseif redis.call('EXISTS', key.queue) == 0 then
    return nil
  end
  local before, deadline = goes_before(key, taken, is_one_try and not is_fair)
  return before and {0, deadline - time_in_millis(), '', before = before}
end

-- Tells the holder's instance that others wait from now on, or that a fair one does, if it may pass the lock on without
-- asking.
local function tell_wanted(key, lock_name)
  local is_new_fair = is_fair and not still_counts(key.deadline)
  if key.first_holder and key.last and (is_new_fair or not first_waiter(key)) then
    local instance = string.match(key.first_holder, '^([^:]+):')
    if instance then
      redis.call('PUBLISH', channel_prefix .. instance, (is_new_fair and '?fair ' or '? ') .. lock_name)
    end
  end
end

-- Waits for a lock if it is in the way. A waiter that was woken for one that is not passes that on.
local function queue_up(key, lock_name)
  if key.mine then
    take_away(key, holder)
  end
  if not key.denial then
    give_up_place(key, place)
    wake_front(key, channel_prefix, lock_name)
  elseif place ~= '' then
    tell_wanted(key, lock_name)
    position = math.min(position or LAST_COUNTED_POSITION,
      keep_place(key, place, tonumber(ARGV[7]), is_fair, key.deadline))
  end
end

-- Returns nil if nothing stands in the way of the claim. Otherwise waits, if it may, and returns the reply.
local function deny()
  for _, key in ipairs(keys) do
    local is_denied, deadline = is_withdrawn(key.deadlines, claim, place)
    if is_denied then
      return {0, 0, '', 1, 0}
    end
    key.deadline = deadline
  end
  local denied
  for _, key in ipairs(keys) do
    look(key)
    key.denial = denial(key, place == '')
    denied = denied or key.denial
  end
  if denied then
    for i, key in ipairs(keys) do
      queue_up(key, name_of_lock(i))
    end
    denied[4], denied[5] = position or 1, denied.taken or 0
  end
  return denied
end
