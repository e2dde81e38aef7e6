-- pause stops or resumes claims of the queue.
local q = open()
if not q then return 'stale' end
pass(q)
local paused, by = num(), arg()
q.paused, q.added = paused, true
trail(q, NOBODY, by, '')
finish(q)
return 'E'
