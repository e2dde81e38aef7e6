package httpapi

import (
	"net/http"

	"github.com/twicehq/twice/queue"
)

const v1 = "/api/v1/"

// table is every route. Health and the description are the only ones that are not below v1, and health the only one
// that takes no token.
var table = []route{
	{name: "live", method: get, path: "/livez", role: Nobody, status: []int{200, 503},
		doc: "whether the process is worth keeping", action: gives((*Server).live)},
	{name: "ready", method: get, path: "/readyz", role: Nobody, status: []int{200, 503},
		doc: "whether the claim loop makes progress and the engine can serve a write", action: gives((*Server).ready)},
	{name: "describe", method: get, path: "/api/openapi.json", role: Viewer, status: ok,
		doc: "this description", action: gives((*Server).describe)},
	{name: "abilities", method: get, path: v1 + "abilities", role: Viewer, status: ok,
		doc: "what the engine is, promises and can do, and what the token allows", action: gives((*Server).getAbilities)},

	{name: "enqueue", method: post, path: v1 + "jobs", role: Operator, status: []int{201, 200},
		doc: "hand in a job: 201 a new one, 200 a duplicate. The same kind and key is the same job, so repeating is safe", action: takes((*Server).enqueue)},
	{name: "enqueueBatch", method: post, path: v1 + "jobs/batch", role: Operator, status: ok,
		doc: "hand in several jobs, each with a receipt of its own: the batch is not atomic", action: takes((*Server).enqueueBatch)},
	{name: "listJobs", method: get, path: v1 + "jobs", role: Viewer, needs: inspect, status: ok,
		params: []param{byQueue, byKind, byState, byReason, limit, cursor},
		doc:    "jobs, newest first, without payload, result, attempts and effects", action: gives((*Server).listJobs)},
	{name: "findJob", method: get, path: v1 + "jobs/find", role: Viewer, needs: inspect, status: ok,
		params: []param{{name: "kind", doc: "its kind", form: aName, required: true}, {name: "key", doc: "its key; any bytes", form: aText, min: 1, max: queue.MaxKey, required: true}},
		doc:    "one job by its kind and key", action: gives((*Server).findJob)},
	{name: "getJob", method: get, path: v1 + "jobs/{id}", role: Viewer, needs: inspect, status: ok, params: []param{jobID},
		doc: "one job with its attempts and effects", action: gives((*Server).getJob)},
	{name: "cancelJobs", method: post, path: v1 + "jobs/cancel", role: Operator, needs: []string{"operate"}, status: changed,
		doc: "cancel jobs by id, or those that wait in a queue. The effects of whoever runs them are sealed first", action: takes((*Server).cancelJobs)},
	{name: "resolveJob", method: post, path: v1 + "jobs/{id}/resolve", role: Operator, needs: []string{"operate", "inspect", "ledger"}, status: ok, params: []param{jobID},
		doc: "answer whether an effect of a job in doubt happened; with no doubt left the job runs again", action: takes((*Server).resolve)},

	{name: "groupDead", method: get, path: v1 + "dead/groups", role: Viewer, needs: inspect, status: ok,
		params: []param{byQueue, byKind, byReason, {name: "scan", doc: "dead jobs to look at", form: aNumber, min: 1, max: maxScan, byDef: defaultScan}, cursor},
		doc:    "dead jobs by queue, kind, reason and the signature of their error", action: gives((*Server).groupDead)},
	{name: "redriveDead", method: post, path: v1 + "dead/redrive", role: Operator, needs: []string{"operate"}, status: changed,
		doc: "send dead jobs back with fresh budgets. By a filter jobs in doubt are left out", action: takes((*Server).redriveDead)},
	{name: "discardDead", method: post, path: v1 + "dead/discard", role: Operator, needs: []string{"operate"}, status: changed,
		doc: "give dead jobs up: they end cancelled. By a filter jobs in doubt are left out, unless it names that reason", action: takes((*Server).discardDead)},

	{name: "listOperations", method: get, path: v1 + "operations", role: Viewer, status: ok,
		doc: "changes that run in the background, and the last ones that ended, newest first", action: gives((*Server).listOperations)},
	{name: "getOperation", method: get, path: v1 + "operations/{id}", role: Viewer, status: changed, params: []param{operationID},
		doc: "one of them: 202 while it runs", action: gives((*Server).getOperation)},
	{name: "stopOperation", method: post, path: v1 + "operations/{id}/stop", role: Operator, status: []int{202, 200}, params: []param{operationID},
		doc: "stop it after the part that is under way; one that has ended stays as it is", action: takes((*Server).stopOperation)},

	{name: "listQueues", method: get, path: v1 + "queues", role: Viewer, needs: inspect, status: ok, params: []param{limit, cursor},
		doc: "the counts of each queue, by name", action: gives((*Server).listQueues)},
	{name: "getQueue", method: get, path: v1 + "queues/{queue}", role: Viewer, needs: inspect, status: ok, params: []param{theQueue},
		doc: "the counts of one", action: gives((*Server).getQueue)},
	{name: "pauseQueue", method: post, path: v1 + "queues/{queue}/pause", role: Operator, needs: []string{"pause"}, status: ok, params: []param{theQueue},
		doc: "let no job of it begin; jobs are still accepted, and those that run go on", action: takes((*Server).pauseQueue)},
	{name: "resumeQueue", method: post, path: v1 + "queues/{queue}/resume", role: Operator, needs: []string{"pause"}, status: ok, params: []param{theQueue},
		doc: "let its jobs begin again", action: takes((*Server).resumeQueue)},
	{name: "getVerdict", method: get, path: v1 + "queues/{queue}/verdict", role: Viewer, needs: verdicts, status: ok, params: []param{theQueue},
		doc: "what is the matter with it, and why", action: gives((*Server).getVerdict)},
	{name: "getSlots", method: get, path: v1 + "queues/{queue}/slots", role: Viewer, needs: verdicts, status: ok, params: []param{theQueue},
		doc: "how many slots it needs, for a scaler (KEDA's metrics-api: valueLocation slots_needed). 503 where that is not known", action: gives((*Server).getSlots)},
	{name: "listVerdicts", method: get, path: v1 + "verdicts", role: Viewer, needs: verdicts, status: ok, params: []param{limit, cursor},
		doc: "what is the matter with each queue, by name", action: gives((*Server).listVerdicts)},

	{name: "listSchedules", method: get, path: v1 + "schedules", role: Viewer, needs: schedules, status: ok, params: []param{limit, cursor},
		doc: "cron entries with their last and next fires, by name", action: gives((*Server).listSchedules)},
	{name: "pauseSchedule", method: post, path: v1 + "schedules/{schedule}/pause", role: Operator, needs: schedules, status: ok, params: []param{theSchedule},
		doc: "keep it from firing; jobs that it has made are not touched", action: takes((*Server).pauseSchedule)},
	{name: "resumeSchedule", method: post, path: v1 + "schedules/{schedule}/resume", role: Operator, needs: schedules, status: ok, params: []param{theSchedule},
		doc: "let it fire again", action: takes((*Server).resumeSchedule)},
	{name: "runSchedule", method: post, path: v1 + "schedules/{schedule}/run", role: Operator, needs: schedules, status: []int{201, 200}, params: []param{theSchedule},
		doc: "run its job now, beside its schedule: 201 a new job, 200 the same run again", action: takes((*Server).runSchedule)},

	{name: "listWorkers", method: get, path: v1 + "workers", role: Viewer, needs: []string{"presence"}, status: ok, params: []param{limit, cursor},
		doc: "worker processes that live, or fell silent lately, by name", action: gives((*Server).listWorkers)},
	{name: "getAudit", method: get, path: v1 + "audit", role: Viewer, needs: audits, status: ok,
		doc: "the books, counted by scan: it takes time in proportion to what is stored", action: gives((*Server).getAudit)},
	{name: "listTrail", method: get, path: v1 + "audit/trail", role: Viewer, needs: audits, status: ok, params: []param{limit, cursor},
		doc: "changes by people, newest first", action: gives((*Server).listTrail)},
}

const (
	get  = http.MethodGet
	post = http.MethodPost
)

var (
	ok        = []int{200}
	changed   = []int{200, 202} // at once, or in the background
	inspect   = []string{"inspect"}
	schedules = []string{"schedules"}
	verdicts  = []string{"verdicts"}
	audits    = []string{"audit"}
)

var (
	byQueue     = param{name: "queue", doc: "only of this queue", form: aName}
	byKind      = param{name: "kind", doc: "only of this kind", form: aName}
	byState     = param{name: "state", doc: "only in this state", form: aChoice, words: []string{"queued", "running", "done", "dead", "cancelled"}}
	byReason    = param{name: "reason", doc: "only dead or cancelled for this reason", form: aChoice, words: reasonWords}
	limit       = param{name: "limit", doc: "at most so many", form: aNumber, min: 1, max: queue.MaxPage, byDef: 100}
	cursor      = param{name: "cursor", doc: "next of the page before", form: aText, min: 1, max: maxCursor}
	jobID       = param{name: "id", doc: "the job's id", form: anID, required: true, inPath: true}
	operationID = param{name: "id", doc: "the operation's id", form: aText, min: 32, max: 32, required: true, inPath: true}
	theQueue    = param{name: "queue", doc: "the queue's name", form: aName, required: true, inPath: true}
	theSchedule = param{name: "schedule", doc: "the entry's name", form: aName, required: true, inPath: true}
)
