-- Functions for scripts that release holds. They can be repeated, as some clients do by themselves: what was released last
-- is beside the lock for the rest of its lease. That key is not declared, and where it cannot be written, as while a
-- Cluster moves the slot, a repetition is told that the hold is gone.

local function free_exclusive(lock)
  if redis.pcall('RENAME', lock, lock .. ':released').err then
    redis.call('DEL', lock)
  end
end

local function remember_share(lock, owner, token, ends)
  local released = lock .. ':released'
  redis.pcall('DEL', released)
  redis.pcall('HSET', released, owner, '0', 'token', token)
  redis.pcall('PEXPIREAT', released, ends)
end

local function was_released(lock, owner, token)
  local released = redis.pcall('HMGET', lock .. ':released', owner, 'token')
  return released[1] and released[2] == token
end
