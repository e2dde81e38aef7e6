-- depth gives the queue's counts, and how its jobs look at this moment. It writes nothing.
local q = open()
if not q then return 'stale' end
local lanes, listed, oldest = num(), 0, 0

for n = 1, lanes do
	for _, lone in ipairs({false, true}) do
		local key = lane(q, n, lone)
		local length = call('LLEN', key)
		listed = listed + length
		local i = 0
		while i < length and i < 1000 do -- past what is stale
			local id = call('LINDEX', key, i)
			local rec = id and call('HGET', q.j, id)
			if rec and byte(rec) == QUEUED then
				local at = i6(rec, 3)
				if at <= q.now then
					if oldest == 0 or at < oldest then oldest = at end
					break
				end
			end
			i = i + 1
		end
	end
end
local due = call('ZCOUNT', q.d, '-inf', q.now)
if due > 0 then
	local first = tonumber(call('ZRANGE', q.d, 0, 0, 'WITHSCORES')[2])
	if oldest == 0 or first < oldest then oldest = first end
end
local away = call('ZCOUNT', q.l, AWAY, '+inf')
local expired = away + call('ZCOUNT', q.l, '-inf', q.now)
for _, claim in ipairs(call('ZRANGEBYSCORE', q.g, '-inf', q.now, 'LIMIT', 0, 100)) do -- until the next write they stand there
	local all = call('HGET', q.i, claim) or ''
	for from = 1, #all - 15, 16 do
		local rec = call('HGET', q.j, sub(all, from, from + 15))
		if rec and byte(rec) == RUNNING and sub(rec, 25, 40) == claim and i6(rec, 3) <= q.now then expired = expired + 1 end
	end
end
return pack('>dddddddddddd', q.now, q.paused, q.accepted, q.queued, q.running, q.done, q.dead, q.cancelled, q.pruned,
	listed - q.stale - away + due, expired, oldest)
