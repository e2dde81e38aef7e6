-- count sets a queue's counts to what a scan found, if nothing was written since it began.
local q = open()
if not q then return 'stale' end
if call('GET', q.m) ~= arg() then return 'busy' end
q.queued, q.running, q.done, q.dead, q.cancelled, q.floor, q.last, q.nth = num(), num(), num(), num(), num(), num(), num(), num()
q.accepted = q.queued + q.running + q.done + q.dead + q.cancelled + q.pruned
q.due, q.orphaned = 0, q.orphaned + 1
finish(q)
return 'E'
