-- The server's clock. Time stands still in a script, so it is asked for once.

local asked_at
local function time_in_micros()
  if not asked_at then
    local now = redis.call('TIME')
    asked_at = now[1] * 1000000 + now[2]
  end
  return asked_at
end

local function time_in_millis()
  return math.floor(time_in_micros() / 1000)
end
