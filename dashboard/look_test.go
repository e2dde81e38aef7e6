package dashboard

import (
	"slices"
	"testing"

	"github.com/twicehq/twice/httpapi"
)

// TestOrder: those come first that need somebody, the most urgent of them first, however busy the others are.
func TestOrder(t *testing.T) {
	busy := func(name string, due int) httpapi.Queue {
		return httpapi.Queue{Queue: name, Accepted: int64(due), Ready: httpapi.Seen{N: due}}
	}
	paused := busy("paused-and-not-judged", 1)
	paused.Paused = true
	all := together([]httpapi.Queue{busy("busy", 9000), busy("busiest", 10_000), busy("dying", 7), busy("stuck", 3), busy("idle", 0), busy("well", 0), paused},
		[]finding{{Queue: "busy", Verdict: "healthy", Well: true}, {Queue: "dying", Verdict: "dead_letters_growing"}, {Queue: "stuck", Verdict: "stuck_handler"}, {Queue: "idle", Verdict: "idle", Well: true},
			{Queue: "well", Verdict: "healthy", Well: true}, {Queue: "unread", Verdict: "no_consumer", Backlog: 1}, {Queue: "", Verdict: "broker_down"}},
		[]httpapi.Worker{{Queues: []string{"stuck", "busy", "nowhere"}, Slots: 4, Busy: 3, Running: []httpapi.Progress{{Queue: "stuck"}, {Queue: "busy"}}}, {Queues: []string{"stuck"}, Slots: 9, Silent: true}, {Queues: []string{"stuck"}, Slots: -5, Busy: -1, Deaf: 1}})
	var names []string
	for _, q := range all {
		names = append(names, q.Queue.Queue)
	}
	if want := []string{"unread", "stuck", "dying", "paused-and-not-judged", "busiest", "busy", "well", "idle"}; !slices.Equal(names, want) {
		t.Errorf("%v, want %v", names, want)
	}
	if s := all[1].slots; s != (slots{Workers: 2, Silent: 1, All: 4, Busy: 3, Deaf: 1, Here: 1}) {
		t.Errorf("slots are %+v", s)
	}
}
