-- Function shared by the scripts that grant a free lock: what token.lua does in most cases, at less cost.

-- Makes the server's time in microseconds, or what a node may grant next after it (see token.lua), the last fencing
-- token, remembered for so many ms. Returns it as text; or nil when what is there is ahead of the clock or no token: it
-- stays, except for its expiry.
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
