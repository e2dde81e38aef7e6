-- prune forgets what has ended long enough ago; a reap of that only what was last fresh at or before the mark. Where more
-- than most are kept the oldest go before their time, and the mark moves: their requests are refused, not run again.
local q = open()
if not q then return 'stale' end
pass(q)
local limit, reap, most = num(), num() == 1, num()
local now, n, kept = q.now, 0, {}
local over = most > 0 and q.done + q.cancelled - most or 0

-- forget removes a job; what its record does not say is due to go stays.
local function forget(id, at)
	local rec = q.seen[id]
	if not rec then return true end
	local r = read(rec)
	if (r.state ~= DONE and r.state ~= CANCELLED) or r.at ~= at then return true end
	if reap and r.fresh > q.mark then return false end
	if at > now then q.mark = max(q.mark, r.fresh) end
	over = over - 1
	call('HDEL', q.j, id)
	if r.told then call('HDEL', q.h, id) end
	q.seen[id] = false
	if r.state == DONE then q.done = q.done - 1 else q.cancelled = q.cancelled - 1 end
	q.pruned, q.floor = q.pruned + 1, max(q.floor, r.token + 1)
	n = n + 1
	return true
end

local ids, due = {}, {}
for i, it in ipairs(call('LRANGE', q.p, 0, limit - 1)) do
	local at = i6(it, 1)
	if at > now and i > over then break end
	ids[i], due[i] = sub(it, 7), at
end
load(q, ids)
for i, id in ipairs(ids) do
	if not forget(id, due[i]) then kept[#kept + 1] = pack('>I6', due[i]) .. id end
end
if #ids > 0 then
	call('LTRIM', q.p, #ids, -1)
	for i = #kept, 1, -1 do call('LPUSH', q.p, kept[i]) end
end
if n < limit then
	local found = call('ZRANGEBYSCORE', q.k, '-inf', now, 'WITHSCORES', 'LIMIT', 0, limit - n)
	for i = 1, #found, 2 do
		load(q, {found[i]})
		if forget(found[i], tonumber(found[i + 1])) then call('ZREM', q.k, found[i]) end
	end
end
finish(q)
return tostring(n)
