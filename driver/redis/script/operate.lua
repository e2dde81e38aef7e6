-- operate makes one change by a person a job, each with its row in the trail.
local q = open()
if not q then return 'stale' end
pass(q)
local what, by, unique, n, ids = arg(), arg(), num(), num(), {}
local first = argn
for i = 1, n do ids[i] = ARGV[first + 5 * i - 4] end
load(q, ids)

local function redrive(id, r, e)
	if e.redrives >= 10 then return 'M' end
	call('ZREM', q.x, id)
	e.failures, e.crashes, e.interruptions, e.snoozes, e.redrives = 0, 0, 0, 0, e.redrives + 1
	e.reason, e.effects = '', ''
	r.state, r.lone, r.ended, r.at, r.run, r.fresh = QUEUED, false, nil, q.now, q.now, max(r.fresh, q.now)
	q.dead, q.queued = q.dead - 1, q.queued + 1
	place(q, id, r)
	return 'E'
end

local change = {
	cancel = function(id, r, e, token, effects)
		if r.state > RUNNING then return 'T' .. char(r.state) end
		if token >= 0 and token ~= r.token then return 'K' end
		lift(q, id, r)
		if r.state == RUNNING then
			attempted(q, r, e, CUT, r.lone, '')
			r.claim, r.worker, r.last = NOBODY, '', 0
		else
			r.run = r.at
		end
		e.reason, e.effects = 'cancelled', effects
		r.state, r.ended = CANCELLED, q.now
		q.cancelled = q.cancelled + 1
		return 'E'
	end,
	redrive = function(id, r, e)
		if r.state ~= DEAD then return 'T' .. char(r.state) end
		if e.reason == 'in_doubt' then return 'I' end
		return redrive(id, r, e)
	end,
	resolve = function(id, r, e)
		if r.state ~= DEAD or e.reason ~= 'in_doubt' then return 'T' .. char(r.state) end
		return redrive(id, r, e)
	end,
	discard = function(id, r, e)
		if r.state ~= DEAD then return 'T' .. char(r.state) end
		call('ZREM', q.x, id)
		e.reason = 'discarded'
		r.state, r.ended = CANCELLED, q.now
		q.dead, q.cancelled = q.dead - 1, q.cancelled + 1
		return 'E'
	end,
}

local answers = {}
for i = 1, n do
	local id, token, effects, note, keep = arg(), num(), arg(), arg(), num()
	local rec = q.seen[id]
	if not rec then
		answers[i] = 'U'
	else
		local r, e = read(rec), history(q, id)
		if what == 'discard' then note = 'was dead: ' .. e.reason end
		r.told = true
		answers[i] = change[what](id, r, e, token, effects)
		if answers[i] == 'E' then
			if r.state == CANCELLED then
				r.at = q.now + max(unique, keep)
				leave(q, id, r.at, keep <= unique)
			end
			write(q, id, made(r))
			tell(q, id, e)
			trail(q, id, by, note)
		end
	end
end
finish(q)
return concat(answers)
