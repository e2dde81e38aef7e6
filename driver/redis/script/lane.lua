-- lane gives the queue's lanes, after making those asked for, and the queue itself if need be.
local m, n = KEYS[1], KEYS[2]
local epoch, mark, make, lanes = num(), num(), num() == 1, num()
local raw = call('GET', m)
if not raw then
	if not make then return {} end
	raw = pack(STATE, epoch, 0, host, 0, 0, 0, 0, mark, 0, AWAY, 0, 0, host, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, host) .. NOBODY
	call('SET', m, raw)
end
local made = false
for _ = 1, lanes do
	local name = arg()
	if call('HEXISTS', n, name) == 0 then
		call('HSET', n, name, call('HLEN', n) + 1)
		made = true
	end
end
if made then
	raw = sub(raw, 1, 8) .. pack('>d', (cut('>d', raw, 9)) + 1) .. sub(raw, 17)
	call('SET', m, raw)
end
local answer = {sub(raw, 1, 16)}
for _, v in ipairs(call('HGETALL', n)) do answer[#answer + 1] = v end
return answer
