-- settle ends attempts, each with the jobs that follow it. Those may belong to other queues, whose keys come after.
local qs = {}
for i = 1, num() do
	qs[i] = open()
	if not qs[i] then return 'stale' end
end
local q = qs[1]
for _, each in ipairs(qs) do pass(each) end
local unique, plain = num(), arg()
local LEFT = HEAD .. 'c34BBI6c8' -- what is left of a job that is done
local n = num()
local now = q.now

-- First the records of all that is settled or enqueued.
local ids, follow, at = {}, {}, argn
local ended = #plain / 37
for i = 1, ended do ids[i] = sub(plain, 37 * i - 36, 37 * i - 21) end
for i = 1, n do
	ids[ended + i] = ARGV[at + 1]
	for k = 1, tonumber(ARGV[at + 6]) do
		local base = at + 6 + 6 * (k - 1)
		local to = tonumber(ARGV[base + 1])
		if to > 0 then
			follow[to] = follow[to] or {}
			follow[to][#follow[to] + 1] = ARGV[base + 2]
		end
	end
	at = at + 6 + 6 * tonumber(ARGV[at + 6])
end
load(q, ids)
for to, list in pairs(follow) do load(qs[to], list) end

-- bad gives the first job to follow that cannot be stored, with why.
local function bad(from, count)
	local prints = {}
	for k = 1, count do
		local base = from + 6 * (k - 1)
		local to, id, origin, rest = qs[tonumber(ARGV[base + 1])], ARGV[base + 2], tonumber(ARGV[base + 5]), ARGV[base + 6]
		if not to then break end -- those of another node come last, and were looked at before
		local print = sub(rest, 1, 8)
		local rec = to.seen[id]
		local known = prints[id] or (rec and sub(rec, tail(rec, byte(rec, 2)), tail(rec, byte(rec, 2)) + 7))
		local status
		if origin > to.now + AHEAD then
			status = 'O'
		elseif known and known ~= print then
			status = 'C'
		elseif not known and origin > 0 and origin <= to.mark then
			status = 'R'
		end
		if status then return 'N' .. status .. char(k) end
		prints[id] = print
	end
end

local off, noff, over, nover = {}, 0, {}, 0
local gone = now + unique
local leaves = pack('>I6', gone)
local heads = {} -- most settlements say the same

local function settle(id, claim, token, head, texts, count)
	local rec = q.seen[id]
	if not rec then return 'U' end
	local state, flags, lane, at, born, nth, held = cut(HEAD, rec)
	local says = heads[head]
	if not says then
		says = {cut('>BBBBI6I6', head)}
		heads[head] = says
	end
	local to, outcome, keep = says[1], says[2], says[6]
	if not has(flags, CLAIMED) or held ~= token or sub(rec, 25, 40) ~= claim then return lost(q, id, rec) end
	if state ~= RUNNING then
		if byte(rec, 59) == 8 * outcome + to then return 'E', true end
		return lost(q, id, rec)
	end
	if count > 0 then
		local no = bad(argn, count)
		if no then return no end
	end
	local last = 8 * outcome + to
	if at <= now then
		local score = call('ZSCORE', q.l, id)
		if score and tonumber(score) >= AWAY then q.stale = q.stale + 1 end
	end
	noff = noff + 1
	off[noff] = id
	q.running = q.running - 1
	if has(flags, LONE) then
		q.added = true -- there is room for another lone job
		if q.lone == id then q.lone = NOBODY end
	end
	if to == DONE and keep == 0 then
		-- Only what is needed to know the id stays.
		local from = tail(rec, flags)
		write(q, id, pack(LEFT, DONE, CLAIMED + ENDED + STRIPPED, lane, gone, born, nth, token, sub(rec, 25, 58), last, 0, now, sub(rec, from, from + 7)))
		nover = nover + 1
		over[nover] = leaves .. id
		if has(flags, TOLD) then call('HDEL', q.h, id) end
		q.done = q.done + 1
		return 'E'
	end
	local counter, bits, run = says[3], says[4], says[5]
	local r, e = read(rec), history(q, id)
	local err, checkpoint, result, reason, effects = cut('>I4c0I4c0I4c0I4c0I4c0', texts)
	attempted(q, r, e, outcome, has(bits, 1), err)
	if err ~= '' then e.err = err end
	if has(bits, 4) then e.checkpoint = checkpoint end
	if has(bits, 8) then e.result = result end
	if counter == 1 then e.failures = e.failures + 1 elseif counter == 2 then e.interruptions = e.interruptions + 1 elseif counter == 3 then e.snoozes = e.snoozes + 1 end
	r.state, r.last, r.told, r.worker = to, last, true, ''
	if to == QUEUED then
		r.at = max(run, now)
		r.run = r.at
		r.lone = r.lone or has(bits, 2)
		q.queued = q.queued + 1
		place(q, id, r)
	else
		r.ended = now
		if to == DEAD then
			r.at = 0
			e.reason, e.effects = reason, effects
			call('ZADD', q.x, now, id)
			q.dead = q.dead + 1
		else
			r.at = now + max(unique, keep)
			leave(q, id, r.at, keep <= unique)
			q.done = q.done + 1
		end
	end
	write(q, id, made(r))
	tell(q, id, e)
	return 'E'
end

local answers = {}

-- Most are done, and nothing more is to be said of them: those come as id, token and claim.
local ENDS = char(DONE, CLAIMED + ENDED + STRIPPED)
local FROM = char(8 * 1 + DONE, 0) .. pack('>I6', now)
local SAYS = pack('>BBBBI6I6', DONE, 1, 0, 0, 0, 0)
for i = 1, ended do
	local id = ids[i]
	local rec = q.seen[id]
	local at = 37 * i - 20
	if rec and byte(rec) == RUNNING and byte(rec, 2) == CLAIMED and sub(rec, 20, 40) == sub(plain, at, at + 20) and i6(rec, 5) > now then
		local from = 61 + byte(rec, 60)
		write(q, id, ENDS .. sub(rec, 3, 4) .. leaves .. sub(rec, 11, 58) .. FROM .. sub(rec, from, from + 7))
		noff, nover = noff + 1, nover + 1
		off[noff], over[nover] = id, leaves .. id
		q.running, q.done = q.running - 1, q.done + 1
		answers[i] = 'E'
	else
		answers[i] = settle(id, sub(plain, at + 5, at + 20), (cut('>I5', plain, at)), SAYS, '', 0)
	end
end
for i = 1, n do
	local id, claim, token, head, texts, count = arg(), arg(), num(), arg(), arg(), num()
	local again
	answers[ended + i], again = settle(id, claim, token, head, texts, count)
	for _ = 1, count do
		local to, next, n, run, origin, rest = qs[num()], arg(), num(), num(), num(), arg()
		if answers[ended + i] == 'E' and not again then
			if to then
				put(to, next, n, run, origin, rest)
			else
				call('RPUSH', q.o, id .. pack('>I5', token) .. next .. pack('>I6I6', run, origin) .. rest)
				q.pending = q.pending + 1
			end
		end
	end
	-- A follow-up may have this very id, or one that is settled next: what was gathered is seen at once.
end
many('ZREM', q.l, off, noff)
many('RPUSH', q.p, over, nover)
for _, each in ipairs(qs) do finish(each) end
return concat(answers)
