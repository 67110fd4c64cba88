-- Takes away what this node has granted a holder, whether it counts already or not, and wakes those in front of the
-- queues.
--
-- KEYS as keys.lua says, for each lock
-- ARGV[1] holder
-- ARGV[2] what the channels of instances begin with
-- ARGV[3i] name of the i-th lock, as its waiters know it
-- ARGV[3i+1] token that this node has granted, or 0 when that is not known
-- ARGV[3i+2] token that a quorum of nodes agrees on, or 0 for none
--
-- Replies 1, or 0 when the locks were not held with the tokens agreed on, or not all of them.
--
-- Can be repeated.

local holder, channel_prefix = ARGV[1], ARGV[2]

-- include time.lua
-- include keys.lua
-- include hold.lua
-- include held.lua
-- include queue.lua
-- A hold that ends may not count yet here: it has the token of this node then.
local function is_granted(key, granted, agreed)
  if granted == '0' and agreed ~= '0' then
    return reply_unless_foreign('HGET', key.lock, holder) == '0'
  end
  return is_held(key.lock, key.shares, holder, granted)
end

local held_all = 1
for i = 1, #KEYS / 6 do
  local key, granted, agreed = key_at(i), ARGV[3 * i + 1], ARGV[3 * i + 2]
  local is_agreed = is_held(key.lock, key.shares, holder, agreed)
  if is_agreed or is_granted(key, granted, agreed) then
    take_away(key, holder)
    wake_front(key, channel_prefix, ARGV[3 * i])
  end
  held_all = is_agreed and held_all or 0
end
return held_all
