-- Tells what locks are like, and changes nothing.
--
-- KEYS as keys.lua says, for each lock
-- ARGV[1] most holders of each lock, and most places of each queue
--
-- Replies for each lock {mode or an empty string, {holder, ...} as state.lua says, number of holders, {place, ...} in
-- order, number of waiters, token granted last, server's time in ms, how many may share it or 0}, two of them as text; or
-- {problem}, where a foreign value has a lock's name.

-- include time.lua
-- include keys.lua
-- include hold.lua
-- include queue.lua
-- include state.lua
local function state_or_problem(key)
  local is_ok, state = pcall(state_of, key, tonumber(ARGV[1]))
  if is_ok then
    return state
  end
  local problem = type(state) == 'table' and state.err or tostring(state)
  if not string.find(problem, 'WRONGTYPE', 1, true) and not string.find(problem, 'What should be', 1, true) then
    error(problem)
  end
  return {problem}
end

local replies = {}
for i = 1, #KEYS / 6 do
  replies[i] = state_or_problem(key_at(i))
end
return replies
