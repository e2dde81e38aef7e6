-- prune forgets what has ended long enough ago; a reap of that only what was last fresh at or before the mark. Where more
-- than most are kept the oldest go before their time, and the mark moves: their requests are refused, not run again.
local q = open()
if not q then return 'stale' end
pass(q)
local limit, reap, most = num(), num() == 1, num()
local now, n, kept = q.now, 0, 0
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

local looked, whole, left = 0, true, over
while looked < limit and whole do
	local item = call('LINDEX', q.p, kept)
	if not item then break end
	local at, last = #item > 6 and i6(item, 1) or 0, #item
	if at > now then last = min(last, 6 + 16 * max(0, left)) end
	last = min(last, 6 + 16 * (limit - looked))
	whole = last == #item
	if last == 6 and not whole then break end
	local ids, stay = {}, {sub(item, 1, 6)}
	for from = 7, last, 16 do ids[#ids + 1] = sub(item, from, from + 15) end
	load(q, ids)
	for _, id in ipairs(ids) do
		if not forget(id, at) then stay[#stay + 1] = id end
	end
	looked, left = looked + #ids, left - #ids
	stay[#stay + 1] = sub(item, last + 1)
	item = concat(stay)
	if #item > 6 then
		call('LSET', q.p, kept, item)
		kept = kept + 1
	elseif kept == 0 then
		call('LPOP', q.p)
	else
		call('LSET', q.p, kept, '')
		call('LREM', q.p, 1, '')
	end
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
