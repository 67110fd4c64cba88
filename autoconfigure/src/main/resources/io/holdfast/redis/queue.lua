-- Functions for the queue of a lock; need time.lua.
--
-- A queue is three sorted sets of the places of waiters:
--   queue      all of them, scored by order of arrival
--   fair       those that are not to be overtaken, scored likewise
--   deadlines  all of them, scored by the time in ms after which the waiter no longer counts
-- A place is named <instance>:<anything>; its instance is told on a channel of its own when it may try. ',shared' is
-- added if its waiter wants to share, with ',<n>' before that if at most n may hold the lock at a time.
--
-- A claim is named <instance>:#<number>. While requests of one that was withdrawn are denied, its name is among the
-- deadlines, with the time below zero.

-- Places behind this one are treated as if they had this position
local LAST_COUNTED_POSITION = 10

-- How many places are looked at before it is asked whether to go on
local PAGE = 20

local function give_up_place(key, place)
  redis.call('ZREM', key.queue, place)
  redis.call('ZREM', key.deadlines, place)
  redis.call('ZREM', key.fair, place)
end

-- Returns the instance and the rest of a place. Foreign values stay, and make the script fail.
local function parts_of(place)
  local instance, waiter = string.match(place, '^([^:]+):(.*)$')
  if not instance then
    error('What should be a place in the queue is none', 0)
  end
  return instance, waiter
end

-- Gives up places whose time is over, and forgets claims that are no longer denied.
local function give_up_overdue(key)
  local now = string.format('%.0f', time_in_millis())
  for _, place in ipairs(redis.call('ZRANGEBYSCORE', key.deadlines, '(-' .. now, '(' .. now)) do
    parts_of(place)
    give_up_place(key, place)
  end
end

-- Tells whether a claim was withdrawn. The second result is the deadline of its place, if that has one.
local function is_withdrawn(deadlines, claim, place)
  local refused, deadline = unpack(redis.call('ZMSCORE', deadlines, claim, place))
  return refused and -tonumber(refused) > time_in_micros() / 1000, deadline
end

-- Denies requests of a claim from now on, for so many ms.
local function refuse(key, claim, refused)
  redis.call('ZADD', key.deadlines, 'LT', string.format('-%.0f', time_in_micros() / 1000 + refused), claim)
  if redis.call('PTTL', key.deadlines) < refused then
    redis.call('PEXPIRE', key.deadlines, refused)
  end
  give_up_overdue(key)
end

local function still_counts(deadline)
  return deadline and tonumber(deadline) >= time_in_millis()
end

-- Returns the deadline of a place that still counts. One whose time is over is given up, and one without a deadline.
local function deadline_of(key, place)
  local deadline = redis.call('ZSCORE', key.deadlines, place)
  if still_counts(deadline) then
    return deadline
  end
  parts_of(place)
  give_up_place(key, place)
end

-- Takes a place at the end, or keeps the one that still counts: for so many ms times its position, as a waiter asks
-- less often the farther behind it is. Returns the position. 'deadline' is its present one, if any. Deadlines are
-- written first: a foreign value there makes the script fail before it has changed anything. For a place that is there,
-- a deletion comes before that: Redis refuses nothing that follows it for lack of memory. The deadlines expire no
-- sooner than the queue: a place left without one would count again once its waiter asks again.
local function keep_place(key, place, kept, is_fair, deadline)
  local counts = still_counts(deadline)
  local order = counts and redis.call('ZSCORE', key.queue, place)
  local is_listed = is_fair and counts and redis.call('ZSCORE', key.fair, place)
  local last = order and {} or redis.call('ZREVRANGE', key.queue, 0, 0, 'WITHSCORES')
  if order then
    redis.call('ZREM', key.deadlines, '')
  end
  give_up_overdue(key)
  local before = order and redis.call('ZRANK', key.queue, place) or redis.call('ZCARD', key.queue)
  local position = math.min(before + 1, LAST_COUNTED_POSITION)
  kept = kept * position
  redis.call('ZADD', key.deadlines, string.format('%.0f', time_in_micros() / 1000 + kept), place)
  if not order then
    order = string.format('%.0f', math.max(time_in_micros(), (tonumber(last[2]) or 0) + 1))
    redis.call('ZADD', key.queue, order, place)
  end
  if is_fair and not is_listed then
    redis.call('ZADD', key.fair, order, place)
  end
  for _, set in ipairs({key.queue, key.deadlines, is_fair and key.fair or nil}) do
    if redis.call('PTTL', set) < kept then
      redis.call('PEXPIRE', set, kept)
    end
  end
  return position
end

-- Returns the first place that still counts, or nil, and gives up those before it.
local function first_waiter(key)
  local first
  repeat
    first = redis.call('ZRANGE', key.queue, 0, 0)[1]
  until not first or deadline_of(key, first)
  return first
end

local function has_fair_waiter(key)
  if redis.call('EXISTS', key.fair) == 0 then
    return false
  end
  give_up_overdue(key)
  return redis.call('EXISTS', key.fair) == 1
end

local function wants_share(place)
  return string.sub(place, -7) == ',shared'
end

-- Returns how many may hold the lock at a time with a waiter that wants a share.
local function most_with(place)
  return tonumber(string.match(place, ',(%d+),shared$')) or math.huge
end

local function wake(place, channel_prefix, lock_name)
  local instance, waiter = parts_of(place)
  redis.call('PUBLISH', channel_prefix .. instance, waiter .. ' ' .. lock_name)
end

local function number_of_shares(key)
  return redis.call('ZCOUNT', key.shares, string.format('(%.0f', time_in_millis()), '+inf')
end

-- Wakes the waiters in front that want a share and can have one. Stops at one that wants the lock exclusively, and at a
-- fair one that gets the last permit or none: that one wakes the next. If there is room for just one more than before,
-- those for which there was room already have been woken.
local function wake_sharers(key, taken, channel_prefix, lock_name)
  give_up_overdue(key)
  local has_fair = redis.call('EXISTS', key.fair) == 1
  local first = 0
  repeat
    local page, has_let_in = redis.call('ZRANGE', key.queue, first, first + PAGE - 1), false
    for _, place in ipairs(page) do
      if not wants_share(place) then
        return
      end
      local most = most_with(place)
      if taken < most then
        if not key.has_one_more or taken + 1 == most or most == math.huge then
          wake(place, channel_prefix, lock_name)
        end
        taken, has_let_in = taken + 1, true
      end
      if has_fair and taken >= most and redis.call('ZSCORE', key.fair, place) then
        return
      end
    end
    first = first + PAGE
  until #page < PAGE or not has_let_in
end

-- Wakes the waiters from the first on that can have a lock in its mode, or a free one: one, or all that want a share.
local function wake_from(key, first, mode, channel_prefix, lock_name)
  if wants_share(first) then
    if mode ~= 'exclusive' then
      wake_sharers(key, mode and number_of_shares(key) or 0, channel_prefix, lock_name)
    end
  elseif not mode then
    wake(first, channel_prefix, lock_name)
  end
end

-- Wakes the first waiters that can have the lock as it is. Returns the first place, or nil.
local function wake_front(key, channel_prefix, lock_name)
  local first = first_waiter(key)
  if first then
    wake_from(key, first, redis.call('HGET', key.lock, 'mode'), channel_prefix, lock_name)
  end
  return first
end
