-- Grants locks, all or none of them, or keeps a place in the queues of those in the way.
--
-- KEYS and ARGV[1] to ARGV[10] as attempt.lua says
-- ARGV[10+i] name of the i-th lock
--
-- Replies {token, ...} when granted, else {0, ms after which to try again, holder, position of the place, how many
-- permits are taken if that is the reason, or 0}, with an empty holder when a waiter goes first. {token, holder} is the
-- grant of one lock to another holder that asked under the same claim before. {token, how many others wait, last token}
-- is that of one lock which may be passed on, to a waiter that is not fair.
--
-- Can be repeated: a claim that has a lock already gets the same token again, and its lease never gets shorter. A claim
-- that was withdrawn is denied, and not queued.

-- include time.lua
-- include keys.lua
-- include token.lua
-- include queue.lua
-- include hold.lua
-- include attempt.lua
-- How many tokens more a waiter gets, to pass the lock on with
local MORE = 63

-- Returns the reply that grants one exclusive lock, to a waiter with more tokens unless it or another is fair. A
-- place may count as overdue too early here, which does no harm.
local function granted(key, token, has_fair)
  if has_fair or not key.deadline or key.deadline * 1000 < tonumber(token) then
    return {tonumber(token)}
  end
  local last = string.format('%.0f', math.min(token + MORE, GREATEST))
  redis.call('SET', key.token, last, 'KEEPTTL')
  redis.call('HSET', key.lock, 'last', last)
  return {tonumber(token), redis.call('ZCOUNT', key.deadlines, token / 1000, '+inf'), tonumber(last)}
end

local denied = deny()
if denied then
  return denied
end
local tokens = {}
for i, key in ipairs(keys) do
  if place ~= '' then
    give_up_place(key, place)
  end
  if key.mine then
    tokens[i] = prolong(key)
    if key.holder ~= holder then
      tokens[i + 1] = key.holder
    end
  else
    local is_alone = mode == 'exclusive' and #keys == 1
    local has_fair = is_alone and (is_fair or has_fair_waiter(key))
    local token = next_token(key.token, token_lasts(key), 0)
    grant(key, token, '1')
    if is_alone then
      return granted(key, token, has_fair)
    end
    tokens[i] = tonumber(token)
    -- It may have held up others, for which there are permits as well
    if is_fair and permits > 0 and still_counts(key.deadline) then
      wake_front(key, channel_prefix, name_of_lock(i))
    end
  end
end
return tokens
