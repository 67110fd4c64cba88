-- Hands an exclusive hold on to another owner under the same claim, with a token of its own.
--
-- KEYS as keys.lua says, for one lock
-- ARGV[1] owner    ARGV[2] token of the hold
-- ARGV[3] successor    ARGV[4] name of the claim
-- ARGV[5] lease in ms
-- ARGV[6] time in ms for which the last token is remembered from now on
-- ARGV[7] 1 to let a waiter in the queue go first; a fair one does in any case
-- ARGV[8] the claim's place in the queue, taken then, and given up otherwise
-- ARGV[9] time in ms for which the place is kept if it is the first (see queue.lua)
-- ARGV[10] what the channels of instances begin with
-- ARGV[11] name of the lock, as its waiters know it
--
-- Replies {token, 0 without waiters, last token} when handed on: no other grant gets one of these tokens. {-1} when a
-- waiter goes first, {0} when the hold was not held any more.
--
-- Changes nothing when it is repeated: replies the token that the successor has then.

local owner, token, successor, claim = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local lease, remembered, yield = ARGV[5], ARGV[6], ARGV[7]

-- include time.lua
-- include keys.lua
-- include held.lua
-- include queue.lua
-- include token.lua
local lock, last_token, queue = KEYS[1], KEYS[2], KEYS[3]
local held = reply_unless_foreign('HMGET', lock, owner, 'token', 'mode', 'last', successor, 'claim') or {}
if not held[1] or held[2] ~= token or held[3] ~= 'exclusive' then
  local present = held[2]
  if held[5] and held[3] == 'exclusive' and held[6] == claim and tonumber(present) > tonumber(token) then
    return {tonumber(present), redis.call('ZCOUNT', KEYS[4], time_in_millis(), '+inf'), tonumber(present)}
  end
  not_held(lock)
  return {0}
end

local waiting = 0
if redis.call('EXISTS', queue) == 1 then
  local key, place, channel_prefix, lock_name = key_at(1), ARGV[8], ARGV[10], ARGV[11]
  give_up_place(key, place)
  local first = first_waiter(key)
  if first and (yield == '1' or has_fair_waiter(key)) then
    redis.call('DEL', lock)
    keep_place(key, place, tonumber(ARGV[9]), false)
    wake_from(key, first, false, channel_prefix, lock_name)
    return {-1}
  end
  waiting = first and 1 or 0
end

-- The expiry comes first: Redis refuses nothing that follows it for lack of memory, while the token
-- may still be an error that leaves the owner its hold
redis.call('PEXPIRE', lock, lease)
local granted, last = next_tokens(last_token, remembered, held[4] or token)
redis.call('HDEL', lock, owner, 'passed-to')
redis.call('HSET', lock, successor, '1', 'token', granted, 'claim', claim, 'last', last)
return {tonumber(granted), waiting, tonumber(last)}
