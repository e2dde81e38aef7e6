-- claim leases what is due: of lanes in order of priority, and of lanes of one priority whatever has been due longest.
local q = open()
if not q then return 'stale' end
local claim, worker, most, ttl, lone, wait, few = arg(), arg(), num(), num(), num() == 1, num(), num()
local groups = {}
for i = 1, num() do
	local lanes = {}
	for k = 1, num() do lanes[k] = {n = num(), cap = num()} end
	groups[i] = lanes
end
q.ttl = q.ttl == 0 and ttl or q.ttl
pass(q)
q.ttl = ttl

local out, nout, got = {''}, 1, 0
local function give(id, rec, told)
	out[nout + 1], out[nout + 2] = id, rec
	nout = nout + 2
	if has(byte(rec, 2), TOLD) then
		nout = nout + 1
		out[nout] = told
	end
	got = got + 1
end

local function over()
	finish(q)
	out[1] = pack('>I6dB', q.now, q.due, q.pending > 0 and 1 or 0)
	return out
end

-- The same request again gets the same leases, and no others.
if call('SISMEMBER', q.c, claim) == 1 or call('SISMEMBER', q.b, claim) == 1 then
	local ids, together = call('ZRANGE', q.l, 0, -1), call('HGET', q.i, claim) or ''
	for from = 1, #together - 15, 16 do ids[#ids + 1] = sub(together, from, from + 15) end
	load(q, ids)
	for _, id in ipairs(ids) do
		local rec = q.seen[id]
		if rec and byte(rec) == RUNNING and sub(rec, 25, 40) == claim then
			give(id, rec, has(byte(rec, 2), TOLD) and call('HGET', q.h, id) or '')
		end
	end
	if got > 0 then return over() end
end

if q.paused == 1 then
	if wait > 0 then q.wait = max(q.wait, q.now + wait) end
	return over()
end

if lone and q.lone ~= NOBODY then
	local rec = call('HGET', q.j, q.lone)
	local busy = false
	if rec then
		local state, flags, at = cut(HEAD, rec)
		busy = state == RUNNING and has(flags, LONE) and at > q.now
	end
	if busy then
		if wait > 0 then q.wait = max(q.wait, q.now + wait) end
		return over()
	end
	q.lone = NOBODY
end
if lone then most = 1 end

local now, till = q.now, q.now + ttl
local taken = {}
local mine = #worker
local HELD = HEAD .. 'c16I6I6I6BBc0'
-- What the records of jobs that were never claimed before have in common when this claim has them.
local BEGUN, SINCE = char(RUNNING, CLAIMED) .. pack('>I6', till), claim .. pack('>I6', now)
local BY = pack('>I6BB', now, 0, mine) .. worker
local raised = {} -- tokens, and those one above

-- take leases one job, if its record says that it stands where it was found.
local function take(id, cap)
	local rec = q.seen[id]
	if not rec then
		q.stale = q.stale - 1
		return
	end
	local flags = byte(rec, 2)
	if flags == 0 and byte(rec) == QUEUED and not lone then -- one that was never claimed: most are
		if i6(rec, 3) > now then
			q.stale = q.stale - 1
			return
		end
		local token = sub(rec, 20, 24)
		local next = raised[token]
		if not next then
			next = pack('>I5', (cut('>I5', token)) + 1)
			raised[token] = next
		end
		rec = BEGUN .. sub(rec, 9, 19) .. next .. SINCE .. sub(rec, 3, 8) .. BY .. sub(rec, 25)
		q.queued, q.running = q.queued - 1, q.running + 1
		write(q, id, rec)
		give(id, rec, '')
		taken[got] = id
		return
	end
	local state, n, due, born, nth, token
	state, flags, due, n, born, nth, token = cut(HEAD, rec)
	if state > RUNNING or due > now or has(flags, LONE) ~= lone then
		q.stale = q.stale - 1
		return
	end
	local run, fresh, from, told = due, due, 25, ''
	if has(flags, CLAIMED) then
		local _, length
		_, run, fresh, _, length = cut(LEASE, rec, 41)
		from = 61 + length
		if state == QUEUED then run = due end
	elseif has(flags, FRESH) then
		fresh = i6(rec, 25)
		from = 31
	end
	fresh = max(fresh, now)
	flags = CLAIMED + (has(flags, LONE) and LONE or 0) + (has(flags, TOLD) and TOLD or 0)
	if state == RUNNING then -- its lease was lost with no word
		local r, e = read(rec), history(q, id)
		e.crashes = e.crashes + 1
		e.err = 'the lease of attempt ' .. token .. ' ran out with no word from ' .. r.worker
		attempted(q, r, e, CRASHED, r.lone, e.err)
		told = tell(q, id, e)
		call('ZREM', q.l, id)
		flags = has(flags, TOLD) and flags or flags + TOLD
		if not lone and cap >= 2 and e.crashes == cap - 1 then -- a suspect: from here on it runs alone
			write(q, id, pack(HEAD, QUEUED, flags + LONE, now, n, born, nth, token + 1) .. NOBODY .. pack(LEASE, r.claimed, run, fresh, 0, 0) .. sub(rec, from))
			q.running, q.queued = q.running - 1, q.queued + 1
			ready(q, lane(q, n, true), id)
			return
		end
	else
		if has(flags, TOLD) then told = call('HGET', q.h, id) or '' end
		q.queued, q.running = q.queued - 1, q.running + 1
	end
	rec = pack(HELD, RUNNING, flags, till, n, born, nth, token + 1, claim, now, run, fresh, 0, mine, worker) .. sub(rec, from)
	write(q, id, rec)
	if lone then q.lone = id end
	give(id, rec, told)
	taken[got] = id
end

-- among takes from several lanes of one priority whatever has been due longest.
local function among(lanes)
	local need = most - got
	local function forward(w) -- to the next id that stands as its record says
		while true do
			w.n = w.n + 1
			if w.n > #w.ids then
				w.ids, w.n = call('LRANGE', w.key, w.popped, w.popped + need - 1), 0
				if #w.ids == 0 then
					w.over = true
					return
				end
				load(q, w.ids)
			else
				local rec = q.seen[w.ids[w.n]]
				if rec then
					local state, flags, _
					state, flags, w.at, _, w.born, w.nth = cut(HEAD, rec)
					if state <= RUNNING and w.at <= now and has(flags, LONE) == lone then return end
				end
				q.stale, w.popped = q.stale - 1, w.popped + 1
			end
		end
	end
	local line = {}
	for i, l in ipairs(lanes) do
		line[i] = {key = lane(q, l.n, lone), cap = l.cap, popped = 0, ids = {}, n = 0}
		forward(line[i])
	end
	while got < most do
		local best
		for _, w in ipairs(line) do
			if not w.over and (not best or sooner(w, best)) then best = w end
		end
		if not best then break end
		take(best.ids[best.n], best.cap)
		best.popped = best.popped + 1
		forward(best)
	end
	for _, w in ipairs(line) do
		if w.popped > 0 then call('LTRIM', w.key, w.popped, -1) end
	end
end

-- from takes from one lane.
local function from(l)
	local key = lane(q, l.n, lone)
	while got < most do
		local ids = call('LPOP', key, min(most - got, STEP))
		if not ids or #ids == 0 then return end
		load(q, ids)
		for _, id in ipairs(ids) do take(id, l.cap) end
	end
end

for _, lanes in ipairs(groups) do
	if got >= most then break end
	if #lanes == 1 then from(lanes[1]) else among(lanes) end
end

if got >= few then
	local ends = string.format('%d', till)
	call('ZADD', q.g, ends, claim)
	call('HSET', q.i, claim, concat(taken), claim .. 'n', got)
else
	for _, id in ipairs(taken) do leased(q, till, id) end
end
if got > 0 then
	q.due = min(q.due, till)
	if now - q.window > 60000 then
		call('DEL', q.b)
		if call('EXISTS', q.c) == 1 then call('RENAME', q.c, q.b) end
		q.window = now
	end
	call('SADD', q.c, claim)
elseif wait > 0 then
	q.wait = max(q.wait, now + wait)
end
return over()
