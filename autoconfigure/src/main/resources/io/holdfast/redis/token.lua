-- Function shared by the scripts that grant a lock.

-- Returns the next fencing token, as text: greater than the last one and than the one that
-- is known, and no less than the server's time in microseconds. It is remembered for so
-- many ms. What is there and no number is not ours: it stays, except for its expiry.
local function next_token(last_token, remembered, known)
  local now = redis.call('TIME')
  local token = string.format('%s%06d', now[1], now[2])
  local last = redis.call('SET', last_token, token, 'PX', remembered, 'GET')
  if last and not tonumber(last) then
    redis.call('SET', last_token, last)
    error('What should be the last fencing token is no number', 0)
  end
  last = math.max(tonumber(last or 0), tonumber(known))
  if last >= tonumber(token) then
    token = string.format('%.0f', last + 1)
    redis.call('SET', last_token, token, 'PX', remembered)
  end
  return token
end
