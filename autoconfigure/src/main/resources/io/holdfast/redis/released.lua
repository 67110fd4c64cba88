-- Functions for scripts that release holds. They can be repeated, as some clients do by themselves: for some seconds, a
-- lock remembers what was released last, as <token>@<holder>. Its key is not declared, and where it cannot be written,
-- as while a Cluster moves the slot, a repetition is told that the hold is gone.

local function remember_release(lock, owner, token)
  redis.pcall('SET', lock .. ':released', token .. '@' .. owner, 'PX', '10000')
end

local function was_released(lock, owner, token)
  return redis.pcall('GET', lock .. ':released') == token .. '@' .. owner
end
