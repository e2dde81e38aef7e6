-- How an attempt is ended, shared by the scripts that do. The jobs are of the first queue given; jobs that follow may
-- belong to the others, whose keys come after.

local qs = {}
for i = 1, num() do
	qs[i] = open()
	if not qs[i] then return 'stale' end
end
local q = qs[1]
for _, each in ipairs(qs) do pass(each) end
local unique, now = num(), q.now
local LEFT = HEAD .. 'c34BBI6c8' -- what is left of a job that is done

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
	local state, flags, at, lane, born, nth, held = cut(HEAD, rec)
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
	local g = band(q, claim)
	if g then
		g.n = g.n - 1
	else
		if at <= now then
			local score = call('ZSCORE', q.l, id)
			if score and tonumber(score) >= AWAY then q.stale = q.stale + 1 end
		end
		noff = noff + 1
		off[noff] = id
	end
	q.running = q.running - 1
	if has(flags, LONE) then
		q.added = true -- there is room for another lone job
		if q.lone == id then q.lone = NOBODY end
	end
	if to == DONE and keep == 0 then
		-- Only what is needed to know the id stays.
		local from = tail(rec, flags)
		write(q, id, pack(LEFT, DONE, CLAIMED + ENDED + STRIPPED, gone, lane, born, nth, token, sub(rec, 25, 58), last, 0, now, sub(rec, from, from + 7)))
		nover = nover + 1
		over[nover] = id
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

-- settled carries out what was gathered.
local function settled()
	many('ZREM', q.l, off, noff)
	for i = 1, nover, MANY do call('RPUSH', q.p, leaves .. concat(over, '', i, min(i + MANY - 1, nover))) end
	for _, each in ipairs(qs) do finish(each) end
end
