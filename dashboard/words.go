package dashboard

// word is a name of the contract in words for people, with the colour that repeats them: good, warn, bad or none.
type word struct{ Text, Tone string }

// verdicts in the order in which somebody is needed: the first ones first.
var verdicts = []struct {
	name string
	word
}{
	{"broker_down", word{"Engine away", "bad"}},
	{"no_data", word{"Cannot be read", "bad"}},
	{"consumer_dead", word{"Workers fell silent", "bad"}},
	{"no_consumer", word{"No worker", "bad"}},
	{"stuck_handler", word{"Stuck: handlers do not end", "bad"}},
	{"stuck_dispatch", word{"Stuck: nothing is claimed", "bad"}},
	{"crash_loop", word{"Workers crash in a loop", "bad"}},
	{"dependency_down", word{"A dependency is down", "bad"}},
	{"poison", word{"A few jobs are poison", "warn"}},
	{"under_provisioned", word{"Too few slots", "warn"}},
	{"dead_letters_growing", word{"Dead letters grow", "warn"}},
	{"undetermined", word{"Cannot be told yet", "warn"}},
	{"paused", word{"Paused", "warn"}},
	{"throttled", word{"Held back by limits", ""}},
	{"catching_up", word{"Catching up", ""}},
	{"healthy", word{"Healthy", "good"}},
	{"idle", word{"Idle", "good"}},
}

func verdictWord(name string) word {
	for _, v := range verdicts {
		if v.name == name {
			return v.word
		}
	}
	return word{plainly(name), "warn"}
}

// urgency of a verdict: the lower, the sooner somebody is needed.
func urgency(name string) int {
	for i, v := range verdicts {
		if v.name == name {
			return i
		}
	}
	return len(verdicts)
}

// plainly is a name that this version does not know, as words.
func plainly(name string) string { return visible(shorten(spaced(name), 60)) }

var states = map[string]word{
	"queued": {"Waiting", ""}, "running": {"Running", ""}, "done": {"Done", "good"}, "dead": {"Dead", "bad"}, "cancelled": {"Cancelled", ""},
}

var outcomes = map[string]word{
	"done": {"Done", "good"}, "failed": {"Failed", "bad"}, "timed_out": {"Ran out of time", "bad"}, "panicked": {"Panicked", "bad"}, "crashed": {"Crashed with its process", "bad"},
	"interrupted": {"Interrupted by a shutdown", "warn"}, "snoozed": {"Asked to run later", ""}, "cancelled": {"Cancelled by a person", ""}, "buried": {"Gave up by decision", "bad"},
}

var reasons = map[string]string{
	"failures": "failed as often as it may", "crashes": "took its process down as often as it may", "interruptions": "was interrupted as often as it may",
	"snoozes": "asked for more time as often as it may", "buried": "its handler gave it up", "undecodable": "its payload cannot be read",
	"deadline": "its deadline passed", "in_doubt": "nobody can tell whether an effect happened", "cancelled": "a person cancelled it", "discarded": "a person gave it up",
}

var effects = map[string]word{
	"recorded": {"Made", "good"}, "confirmed": {"Made, a person says", "good"}, "denied": {"Not made, a person says", ""},
	"unknown": {"In doubt", "bad"}, "pending": {"Begun, not answered yet", "warn"},
}

var deeds = map[string]string{
	"cancel": "Cancelled", "redrive": "Redrove", "discard": "Discarded", "resolve": "Answered a doubt", "pause": "Paused", "resume": "Resumed",
	"pause schedule": "Paused the schedule", "resume schedule": "Resumed the schedule", "drop schedule": "Removed the schedule", "purge": "Emptied",
}

// operationNames are what the API calls what it was asked, where its words would not do.
var operationNames = map[string]string{
	"getJob": "look the job up", "findJob": "find the job", "listJobs": "list jobs", "listQueues": "list queues", "getQueue": "look the queue up",
	"groupDead": "group dead letters", "listWorkers": "list workers", "listSchedules": "list schedules", "getAudit": "count the books", "listTrail": "read the audit trail",
	"getVerdict": "judge the queue", "listVerdicts": "judge the queues", "pauseQueue": "pause the queue", "resumeQueue": "resume the queue",
	"cancelJobs": "cancel", "redriveDead": "redrive", "discardDead": "discard", "resolveJob": "answer the doubt", "request": "answer the request",
	"depths": "count the queues", "list": "list jobs", "job": "look the job up",
}

func operationWords(name string) string {
	if w, ok := operationNames[name]; ok {
		return w
	}
	return plainly(name)
}

func wordOf(of map[string]word, name string) word {
	if w, ok := of[name]; ok {
		return w
	}
	return word{titled(name), ""}
}

func textOf(of map[string]string, name string) string {
	if w, ok := of[name]; ok {
		return w
	}
	return plainly(name)
}

// titled is an unknown name as a tag shows it, with a capital.
func titled(name string) string {
	s := sentence(plainly(name))
	return s[:max(0, len(s)-1)]
}
