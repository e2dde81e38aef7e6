-- schedule keeps cron entries: the last fire, since when it is known, whether it is paused; then what the client reads.
local q = open()
if not q then return 'stale' end
pass(q)
local what, name = arg(), arg()
local old = call('HGET', q.s, name)
local last, since, paused
if old then last, since, paused = cut('>I6I6B', old) end

local function keep(about) call('HSET', q.s, name, pack('>I6I6B', last, since, paused) .. about) end

local status = 'E'
if what == 'put' then
	local about, fired = arg(), num()
	if not old then last, since, paused = fired, q.now, 0 end
	keep(about)
elseif not old then
	status = 'U'
elseif what == 'drop' or what == 'pause' then
	local stop, by = num(), arg()
	if what == 'drop' then
		call('HDEL', q.s, name)
	else
		paused = stop
		keep(sub(old, 14))
	end
	trail(q, NOBODY, by, name)
elseif paused == 1 then
	status = 'P'
else
	local before, due = num(), num()
	if last ~= before then
		status = 'F' .. pack('>I6', last)
	else
		local id, n, run, origin, rest = arg(), num(), num(), num(), arg()
		load(q, {id})
		local got, r = put(q, id, n, run, origin, rest)
		status = pack('>I6I6', q.now, q.mark) .. answer(got, r)
		if got == 'A' or got == 'D' then
			last = due
			keep(sub(old, 14))
		end
	end
end
finish(q)
return status
