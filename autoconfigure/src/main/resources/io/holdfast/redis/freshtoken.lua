-- Function shared by the scripts that grant a free lock: what token.lua does in most cases, at less cost.

-- Returns the next fencing token as text, and remembers it for so many ms as the last one: the server's time in
-- microseconds, or what a node may grant next after it (see token.lua). Returns nil when the last one is no token, has
-- another number of digits, or is not smaller: it stays, except for its expiry.
local function fresh_token(last_token, remembered, node, nodes)
  local now = redis.call('TIME')
  local micros = now[1] * 1000000 + now[2]
  local token = string.format('%.0f', micros + (node - micros) % nodes)
  local last = redis.call('SET', last_token, token, 'PX', remembered, 'GET')
  if last and not string.find(last, '^%d+$') then
    redis.call('SET', last_token, last)
  elseif last and (#last ~= #token or last >= token) then
    redis.call('SET', last_token, last, 'KEEPTTL')
  else
    return token
  end
end
