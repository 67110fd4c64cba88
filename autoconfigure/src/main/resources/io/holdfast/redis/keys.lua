-- The keys of a lock; KEYS has six for each:
--
--   lock       hash of holder -> hold count, mode, token, and claim of an exclusive holder
--   token      last fencing token
--   queue      places of waiters (see queue.lua)
--   deadlines  of those places
--   fair       those of them that are fair
--   shares     of a shared lock (see hold.lua)

local function key_at(i)
  local n = 6 * (i - 1)
  return {lock = KEYS[n + 1], token = KEYS[n + 2], queue = KEYS[n + 3], deadlines = KEYS[n + 4],
    fair = KEYS[n + 5], shares = KEYS[n + 6]}
end
