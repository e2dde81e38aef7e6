-- mark raises the mark, at most to the clock less what effects are kept for.
local q = open()
if not q then return 'stale' end
pass(q)
local to, keep = num(), num()
q.mark = max(q.mark, min(to, q.now - keep))
finish(q)
return 'E'
