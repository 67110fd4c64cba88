-- Makes holds last at least so long from now on, and sets their hold count.
--
-- Renews all holds on one node of a Cluster, whatever their slots: Redis lets a script without a shebang reach all keys
-- of its node. Only the hash of the first lock is declared, which says where the script runs. While a slot is moved, keys
-- of a lock may be on another node; an exclusive lock is renewed without those beside its hash.
--
-- KEYS[1] the first lock
-- ARGV[1] time in ms for which the last token is remembered after the lease
-- ARGV[6i-4] lock   ARGV[6i-3] owner   ARGV[6i-2] token   ARGV[6i-1] least time in ms
-- ARGV[6i] hold count, or an empty string to leave it
-- ARGV[6i+1] owner that has an exclusive lock in place of the holder (see hold.lua), or an empty string; for the i-th
-- hold
--
-- Replies for each hold the time in ms that it lasts, 0 when it is not held any more, or -1 when it, or its share, is not
-- here.

local retention = tonumber(ARGV[1])

-- include time.lua
-- include hold.lua
-- include held.lua
local function is_here(key)
  return redis.pcall('EXISTS', key) == 1
end

-- Tells whether a lock that is not declared is on another node, or may be. Two keys: Redis refuses to look for both
-- while their slot arrives and one is missing.
local function may_be_elsewhere(key)
  return type(redis.pcall('EXISTS', key.lock, key.token)) == 'table'
end

-- Returns how long the hold lasts, which is no less than 1.
local function prolong(key, owner, token, ends, lease)
  local remaining = ends and ends - time_in_millis() or redis.call('PTTL', key.lock)
  if remaining >= lease or lease == 0 then -- a lock that lasts forever has -1, and one that ends now 0
    return math.max(remaining, 1)
  end
  if ends then
    redis.call('ZREM', key.shares, '') -- first: Redis refuses no share for lack of memory then
    redis.call('ZADD', key.shares, string.format('%.0f', time_in_millis() + lease), token .. '@' .. owner)
    settle_shares(key)
  else
    redis.call('PEXPIRE', key.lock, lease)
  end
  return lease
end

local function renew(key, owner, token, lease, count, passed_to)
  if redis.pcall('HGET', key.lock, 'mode') == 'shared' and not is_here(key.shares) then
    return -1
  end
  local held, ends, present = is_held(key.lock, key.shares, owner, token)
  if not held then
    return 0
  end
  if count == '' and present == '0' then
    count = '1' -- a quorum's grant that is renewed counts, although this node was never told so
  end
  if count ~= '' then
    set_field(key, owner, count)
  end
  if passed_to ~= '' and not ends then
    set_field(key, 'passed-to', passed_to)
  end
  if lease > 0 and is_here(key.token) and redis.call('PTTL', key.token) < lease + retention then
    redis.call('PEXPIRE', key.token, lease + retention)
  end
  return prolong(key, owner, token, ends, lease)
end

local replies = {}
for at = 2, #ARGV, 6 do
  local lock = ARGV[at]
  local key = {lock = lock, token = lock .. ':token', shares = lock .. ':shares'}
  if at > 2 and may_be_elsewhere(key) then
    table.insert(replies, -1)
  else
    table.insert(replies,
      renew(key, ARGV[at + 1], ARGV[at + 2], tonumber(ARGV[at + 3]), ARGV[at + 4], ARGV[at + 5]))
  end
end
return replies
