-- What every script shares: how a queue is stored, and the few ways in which it changes. Only this part writes.
--
-- A job's record (hash j, by id) is the truth, with the lanes' names (n) and what happened to it (h). Everything else can
-- be made again from it:
--   lane lists (r n, s n)  ids that are due, in the order in which they became due; s for jobs marked lone
--   d                      sorted set: queued and not due yet, or not moved to their list yet, by due
--   l                      sorted set: running, by the lease's end; beyond AWAY where it ran out and the id is in its list
--   g, i                   the same for jobs that one claim took together: its id by the lease's end, and their ids, with how
--                          many still run. An extended one is still here; when the end has come all that run go to l.
--   x                      sorted set: dead, by end
--   p                      list: ended, by when they are pruned: that time, and the ids of up to MANY jobs; k: those kept
--                          longer, as a sorted set
-- An id may stand in a list that its record says nothing of: whoever meets it drops it. m counts them (stale).
--   c, b                   sets: ids of the claims of this minute, and of the one before
--   t                      list: changes by people;  s: schedules
--   o                      list: jobs that follow a settled one and belong to a queue of another node, to be forwarded
--
-- A record is HEAD, then [LEASE], or else [fresh], then [ended], then the fingerprint and what only the client reads.
-- All times are in milliseconds. A queue's clock is the server's, never going back: where that is set back, or a replica whose
-- clock is behind takes over, it goes on from where it was at the pace of the new one. No script uses a key that it was not given.

local call, pack, cut, sub, byte, char, concat = redis.call, struct.pack, struct.unpack, string.sub, string.byte, string.char, table.concat
local min, max, floor = math.min, math.max, math.floor

-- The scripts get these as they stand here: see constant.go.
local QUEUED, RUNNING, DONE, DEAD, CANCELLED = 1, 2, 3, 4, 5
local CRASHED, CUT = 5, 8                          -- outcomes that only an engine gives: crashed, cancelled
local LONE, CLAIMED, FRESH, TOLD, ENDED, STRIPPED = 1, 2, 4, 8, 16, 32 -- flags
local HEAD = '>BBI6I2I6I3I5'                       -- state, flags, at, lane, born, nth, token: 24 bytes
local LEASE = '>I6I6I6BB'                          -- after the claim's 16 bytes: claimed, run_at, fresh, last, length of the worker's name
local AWAY = 4503599627370496                      -- 2^52
local AHEAD = 5 * 60 * 1000                        -- how far ahead an origin may lie
local ONCE = 500                                   -- how many jobs one script moves to their lists
local MANY = 500                                   -- how many ids stand in one item of p
local STEP = 2000                                  -- arguments in one command
local NOBODY = '\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0'
local EVENTS = '>I4I4I4I4I4I4'                     -- failures, crashes, interruptions, snoozes, redrives, attempts that were dropped
local STATE = '>dddddddddddddddddddddddd'          -- of a queue, in the order of open

local argn = 0
local function arg() argn = argn + 1; return ARGV[argn] end
local function num() argn = argn + 1; return tonumber(ARGV[argn]) end

local host = num() -- tests give the time; else it is the server's
local channel = arg()
if host == 0 then
	local t = call('TIME')
	host = t[1] * 1000 + floor(t[2] / 1000)
end

local function has(flags, flag) return flags % (2 * flag) >= flag end

-- many runs a command with a list of arguments of any length. Lists count for themselves: # looks for their end.
local function many(command, key, list, n)
	for i = 1, n, STEP do
		call(command, key, unpack(list, i, min(i + STEP - 1, n)))
	end
end

-- open reads the queue whose keys begin after base; nil where the client does not know it as it is.
local function open()
	local base, epoch, gen, name = num(), num(), num(), arg()
	local K = KEYS
	local raw = call('GET', K[base + 1])
	if not raw then return nil end
	local its, at, clock, paused, last, nth, floor_, mark, wait, due, ttl, spared, window, stale, orphaned, pending,
		accepted, queued, running, done, dead, cancelled, pruned, before = cut(STATE, raw)
	if its ~= epoch or at ~= gen then return nil end
	return { -- all at once: a table that grows is made again each time
		base = base + 16, name = name, m = K[base + 1], n = K[base + 2], j = K[base + 3], h = K[base + 4], d = K[base + 5], l = K[base + 6],
		c = K[base + 7], b = K[base + 8], x = K[base + 9], p = K[base + 10], k = K[base + 11], t = K[base + 12], s = K[base + 13], o = K[base + 14], g = K[base + 15], i = K[base + 16], bands = {},
		set = {}, nset = 0, push = {}, count = {}, later = {}, nlater = 0, leased = {}, nleased = 0, seen = {}, added = false, behind = false,
		epoch = its, gen = at, clock = clock, paused = paused, last = last, nth = nth, floor = floor_, mark = mark, wait = wait, due = due, ttl = ttl,
		spared = spared, window = window, stale = stale, orphaned = orphaned, pending = pending, accepted = accepted, queued = queued,
		running = running, done = done, dead = dead, cancelled = cancelled, pruned = pruned, lone = sub(raw, 193, 208),
		now = max(host, clock + max(0, host - before)), -- set back, the host's clock gives only the pace
	}
end

-- lane gives the key of a lane's list.
local function lane(q, n, lone)
	if lone then return KEYS[q.base + 2 * n] end
	return KEYS[q.base + 2 * n - 1]
end

local function ready(q, key, id)
	local list = q.push[key]
	if not list then
		list = {}
		q.push[key], q.count[key] = list, 0
	end
	local n = q.count[key] + 1
	list[n], q.count[key] = id, n
	q.added = true
end

local function write(q, id, rec)
	q.seen[id] = rec
	local set, n = q.set, q.nset
	set[n + 1], set[n + 2], q.nset = id, rec, n + 2
end

local function later(q, at, member)
	local z, n = q.later, q.nlater
	z[n + 1], z[n + 2], q.nlater = at, member, n + 2
	q.due = min(q.due, at)
end

local function leased(q, at, id)
	local z, n = q.leased, q.nleased
	z[n + 1], z[n + 2], q.nleased = at, id, n + 2
	q.due = min(q.due, at)
end

-- flush carries out what was gathered.
local function flush(q)
	many('HSET', q.j, q.set, q.nset)
	for key, list in pairs(q.push) do many('RPUSH', key, list, q.count[key]) end
	many('ZADD', q.d, q.later, q.nlater)
	many('ZADD', q.l, q.leased, q.nleased)
	q.nset, q.push, q.nlater, q.nleased = 0, {}, 0, 0
	for claim, g in pairs(q.bands) do
		if g and g.n <= 0 then
			call('ZREM', q.g, claim)
			call('HDEL', q.i, claim, claim .. 'n')
			q.bands[claim] = false
		elseif g and g.n ~= g.was then
			call('HSET', q.i, claim .. 'n', g.n)
			g.was = g.n
		end
	end
end

-- band tells of the jobs that a claim took together; false where they do not stand together, or no longer.
local function band(q, claim)
	local g = q.bands[claim]
	if g == nil then
		local n = tonumber(call('HGET', q.i, claim .. 'n') or nil)
		g = n and {n = n, was = n} or false
		q.bands[claim] = g
	end
	return g
end

-- finish ends a script: what was gathered, then the queue's own state. Whoever waits for jobs is told of new ones.
local function finish(q)
	flush(q)
	local tell = q.added and q.wait > q.now
	if tell then q.wait = 0 end
	call('SET', q.m, pack(STATE, q.epoch, q.gen, q.now, q.paused, q.last, q.nth, q.floor, q.mark, q.wait, q.due, q.ttl, q.spared, q.window, q.stale, q.orphaned, q.pending,
		q.accepted, q.queued, q.running, q.done, q.dead, q.cancelled, q.pruned, host) .. q.lone)
	if tell then call('PUBLISH', channel, q.name) end
end

-- load reads the records of ids, each once.
local function load(q, ids)
	local seen = q.seen
	for i = 1, #ids, STEP do
		local last = min(i + STEP - 1, #ids)
		local recs = call('HMGET', q.j, unpack(ids, i, last))
		for n = i, last do
			if seen[ids[n]] == nil then seen[ids[n]] = recs[n - i + 1] end
		end
	end
end

-- tail gives where the fingerprint begins.
local function tail(rec, flags)
	local at = 25
	if has(flags, CLAIMED) then at = 61 + byte(rec, 60) elseif has(flags, FRESH) then at = 31 end
	if has(flags, ENDED) then at = at + 6 end
	return at
end

local function i6(rec, at) return (cut('>I6', rec, at)) end

local function sooner(a, b)
	if a.at ~= b.at then return a.at < b.at end
	if a.born ~= b.born then return a.born < b.born end
	return a.nth < b.nth
end

-- pass lets time pass: what has become due goes to its list, and leases may be spared.
local function pass(q)
	if q.due <= q.now or (q.ttl > 0 and q.now - q.clock >= q.ttl) then overdue(q) end
end

-- SELDOM: the functions below are made only by a run that calls one. See seldom.go.

-- read takes a record apart.
local function read(rec)
	local r = {}
	r.state, r.flags, r.at, r.lane, r.born, r.nth, r.token = cut(HEAD, rec)
	local at = 25
	if has(r.flags, CLAIMED) then
		r.claim = sub(rec, 25, 40)
		local length
		r.claimed, r.run, r.fresh, r.last, length = cut(LEASE, rec, 41)
		r.worker = sub(rec, 61, 60 + length)
		at = 61 + length
	else
		r.claimed, r.run, r.fresh, r.last, r.worker = 0, r.at, r.at, 0, ''
		if has(r.flags, FRESH) then
			r.fresh = i6(rec, 25)
			at = 31
		end
	end
	if has(r.flags, ENDED) then
		r.ended = i6(rec, at)
		at = at + 6
	end
	r.rest = sub(rec, at)
	r.lone, r.told, r.stripped = has(r.flags, LONE), has(r.flags, TOLD), has(r.flags, STRIPPED)
	return r
end

-- made puts a record together.
local function made(r)
	local flags = CLAIMED
	if r.lone then flags = flags + LONE end
	if r.told then flags = flags + TOLD end
	if r.stripped then flags = flags + STRIPPED end
	local ended = ''
	if r.ended then
		flags = flags + ENDED
		ended = pack('>I6', r.ended)
	end
	return pack(HEAD, r.state, flags, r.at, r.lane, r.born, r.nth, r.token) .. (r.claim or NOBODY) ..
		pack(LEASE, r.claimed, r.run, r.fresh, r.last, #r.worker) .. r.worker .. ended .. r.rest
end

local function order(r) return pack('>I6I3', r.born, r.nth) end

-- history reads what happened to a job.
local function history(q, id)
	local raw = call('HGET', q.h, id)
	if not raw then return {failures = 0, crashes = 0, interruptions = 0, snoozes = 0, redrives = 0, dropped = 0, reason = '', err = '', checkpoint = '', result = '', effects = '', attempts = {}} end
	local e, at = {}, nil
	e.failures, e.crashes, e.interruptions, e.snoozes, e.redrives, e.dropped, at = cut(EVENTS, raw)
	e.reason, e.err, e.checkpoint, e.result, e.effects, at = cut('>I4c0I4c0I4c0I4c0I4c0', raw, at)
	e.attempts = {}
	while at <= #raw do
		local one
		one, at = cut('>I4c0', raw, at)
		e.attempts[#e.attempts + 1] = one
	end
	return e
end

local function tell(q, id, e)
	local text = pack(EVENTS, e.failures, e.crashes, e.interruptions, e.snoozes, e.redrives, e.dropped) ..
		pack('>I4c0I4c0I4c0I4c0I4c0', #e.reason, e.reason, #e.err, e.err, #e.checkpoint, e.checkpoint, #e.result, e.result, #e.effects, e.effects)
	for _, one in ipairs(e.attempts) do text = text .. pack('>I4c0', #one, one) end
	call('HSET', q.h, id, text)
	return text
end

-- attempted records how the present attempt ended; the last 20 are kept.
local function attempted(q, r, e, outcome, alone, text)
	e.attempts[#e.attempts + 1] = pack('>I5I6I6BBB', r.token, r.claimed, q.now, outcome, alone and 1 or 0, #r.worker) .. r.worker .. text
	while #e.attempts > 20 do
		table.remove(e.attempts, 1)
		e.dropped = e.dropped + 1
	end
end

-- place enters a queued or running job where its record says.
local function place(q, id, r)
	if r.state == RUNNING then
		leased(q, r.at, id)
	elseif r.at <= q.now and not q.behind then
		ready(q, lane(q, r.lane, r.lone), id)
	else
		later(q, r.at, order(r) .. id)
		q.added = true -- whoever waits must know until when
	end
end

-- dissolve puts those of a claim's jobs that run into l, and says how many ids there were.
local function dissolve(q, claim)
	local all, ids = call('HGET', q.i, claim) or '', {}
	for from = 1, #all - 15, 16 do ids[#ids + 1] = sub(all, from, from + 15) end
	load(q, ids)
	for _, id in ipairs(ids) do
		local rec = q.seen[id]
		if rec and byte(rec) == RUNNING and sub(rec, 25, 40) == claim then leased(q, i6(rec, 3), id) end
	end
	call('ZREM', q.g, claim)
	call('HDEL', q.i, claim, claim .. 'n')
	q.bands[claim] = false
	return #ids
end

-- spare gives leases that ran out while the queue took no write one more ttl: no holder could have extended them.
-- Each once, until its holder is heard: silence may also mean that nobody asked, and where claims come more rarely than
-- a lease lasts a dead holder's would be spared for ever. No record says that it was spared: the queue remembers the end
-- that it gave last, and a lease that ends then is not spared again. Whatever it gave before has run out by the next
-- silence of a ttl, and a lease that ran out before a silence is not looked at. The end is a millisecond short of a ttl,
-- so that no lease of that ttl given from then on has it. One of another ttl that ends in the same millisecond is taken
-- for a spared one: if it runs out in another silence, one crash too many is counted. That costs the job an attempt, and
-- no safety.
local function spare(q)
	local silent = q.now - q.clock
	if q.ttl == 0 or silent < q.ttl then return end
	local ids = call('ZRANGEBYSCORE', q.l, '(' .. q.clock, q.now)
	if #ids == 0 then return end
	load(q, ids)
	local at, before = q.now + max(q.ttl - 1, 1), q.spared
	for _, id in ipairs(ids) do
		local rec = q.seen[id]
		if rec and i6(rec, 3) ~= before then
			q.spared = at
			write(q, id, sub(rec, 1, 2) .. pack('>I6', at) .. sub(rec, 9))
			leased(q, at, id)
		end
	end
	flush(q)
end

-- overdue moves what has become due to its list, in order. Where more is due than one script moves, the queue is
-- behind: then what is new waits in d, so that the order holds.
local function overdue(q)
	local due, ids, upto, n = {}, {}, q.now, 0
	for _, claim in ipairs(call('ZRANGEBYSCORE', q.g, '-inf', q.now, 'LIMIT', 0, ONCE)) do
		if n >= ONCE then
			upto, q.behind = tonumber(call('ZSCORE', q.g, claim)), true
			break
		end
		n = n + max(1, dissolve(q, claim))
	end
	flush(q)
	spare(q)
	if q.due > q.now then return end
	local function gather(key, from)
		local found = call('ZRANGEBYSCORE', key, '-inf', q.now, 'WITHSCORES', 'LIMIT', 0, ONCE)
		for i = 1, #found, 2 do
			local id, at = sub(found[i], from), tonumber(found[i + 1])
			due[#due + 1] = {id = id, at = at, key = key, member = found[i]}
			ids[#ids + 1] = id
			if i == 2 * ONCE - 1 then
				upto = min(upto, at)
				q.behind = true
			end
		end
	end
	gather(q.d, 10)
	gather(q.l, 1)
	load(q, ids)
	for _, it in ipairs(due) do
		local rec = q.seen[it.id]
		it.born, it.nth = 0, 0
		if rec then it.state, it.flags, it.truly, it.lane, it.born, it.nth = cut(HEAD, rec) end
	end
	table.sort(due, sooner)
	local gone, away = {}, {}
	for _, it in ipairs(due) do
		if it.at <= upto then
			local state = it.key == q.l and RUNNING or QUEUED
			if it.state == state and it.truly == it.at then
				ready(q, lane(q, it.lane, has(it.flags, LONE)), it.id)
				if state == RUNNING then
					away[#away + 1] = it.at + AWAY
					away[#away + 1] = it.id
				else
					gone[#gone + 1] = it.member
				end
			else -- the record is the truth
				q.orphaned = q.orphaned + 1
				call('ZREM', it.key, it.member)
				if it.state == QUEUED or it.state == RUNNING then place(q, it.id, read(q.seen[it.id])) end
			end
		end
	end
	many('ZREM', q.d, gone, #gone)
	many('ZADD', q.l, away, #away)
	flush(q)
	q.due = AWAY
	for _, key in ipairs({q.d, q.l, q.g}) do
		local first = call('ZRANGE', key, 0, 0, 'WITHSCORES')
		if first[2] then q.due = min(q.due, tonumber(first[2])) end
	end
end

-- put enqueues one job, and gives its status and, where its id is known, that job.
local function put(q, id, n, run, origin, rest)
	local now, rec = q.now, q.seen[id]
	if origin > now + AHEAD then return 'O' end
	if rec then
		local r = read(rec)
		if origin > r.fresh and sub(r.rest, 1, 8) == sub(rest, 1, 8) then
			r.fresh = origin
			if has(r.flags, CLAIMED) then
				write(q, id, sub(rec, 1, 52) .. pack('>I6', origin) .. sub(rec, 59))
			else
				local flags = has(r.flags, FRESH) and r.flags or r.flags + FRESH
				write(q, id, sub(rec, 1, 1) .. char(flags) .. sub(rec, 3, 24) .. pack('>I6', origin) .. r.rest)
			end
		end
		return sub(r.rest, 1, 8) == sub(rest, 1, 8) and 'D' or 'C', r
	end
	if n == 0 then return 'Z' end -- it was to be found here, and is not
	if origin > 0 and origin <= q.mark then return 'R' end
	if q.last == now then q.nth = q.nth + 1 else q.last, q.nth = now, 0 end
	local at, flags, fresh = max(run, now), 0, ''
	if origin > at then flags, fresh = FRESH, pack('>I6', origin) end
	write(q, id, pack(HEAD, QUEUED, flags, at, n, now, q.nth, q.floor) .. fresh .. rest)
	if at <= now and not q.behind then
		ready(q, lane(q, n), id)
	else
		later(q, at, pack('>I6I3', now, q.nth) .. id)
		q.added = true
	end
	q.accepted, q.queued = q.accepted + 1, q.queued + 1
	return 'A'
end

-- answer tells of a job whose id is taken.
local function answer(status, r)
	if not r then return status end
	return status .. pack('>BI6I6', r.state, r.run, r.fresh) .. sub(r.rest, 1, 8)
end

-- lift takes a queued or running job out of the index. What stays in a list is stale.
local function lift(q, id, r)
	if r.state == QUEUED then
		if call('ZREM', q.d, order(r) .. id) == 0 then q.stale = q.stale + 1 end
		q.queued = q.queued - 1
	else
		local g = band(q, r.claim)
		if g then
			g.n = g.n - 1
		elseif r.at <= q.now then
			local score = call('ZSCORE', q.l, id)
			if score and tonumber(score) >= AWAY then q.stale = q.stale + 1 end
		end
		if not g then call('ZREM', q.l, id) end
		q.running = q.running - 1
	end
	if r.lone then
		q.added = true -- there is room for another lone job
		if q.lone == id then q.lone = NOBODY end
	end
end

-- leave begins the time after which an ended job may be pruned. Most are kept for the same time, and so end in order.
local function leave(q, id, at, order)
	if order then
		call('RPUSH', q.p, pack('>I6', at) .. id)
	else
		call('ZADD', q.k, at, id)
	end
end

-- lost says why a lease is not held.
local function lost(q, id, rec)
	if not rec then return 'U' end
	local state, _, _, _, _, _, token = cut(HEAD, rec)
	if state == CANCELLED and history(q, id).reason == 'cancelled' then return 'X' end
	return 'L' .. pack('>BI5', state, token)
end

-- trail writes a row about a change by a person: by says who, why and what.
local function trail(q, id, by, note)
	call('RPUSH', q.t, pack('>I6c16I2c0', q.now, id, #by, by) .. note)
end
