package campaign

import "github.com/twicehq/twice/queue"

// Point is a place in the life of a worker process that it, or the remote, tells of when it is passed.
type Point string

// Points. At those of the remote the caller waits until the attack has struck: a process killed there dies
// exactly between its call and the answer.
const (
	Ready       Point = "ready"        // the process is about to claim
	Begun       Point = "begun"        // a handler began
	BegunAgain  Point = "begun again"  // the same, with a job that has crashed before
	RowMade     Point = "row made"     // its row is committed
	ChargeAsked Point = "charge asked" // the remote has the call, and has done nothing yet
	ChargeMade  Point = "charge made"  // it is done, and not answered
	MailAsked   Point = "mail asked"
	MailMade    Point = "mail made"
	Looked      Point = "looked"     // the remote was asked about a charge, for a handler that then ends its job itself
	Returned    Point = "returned"   // the handler is about to return, whatever it answers
	Done        Point = "done"       // the engine took the attempt's word that the job is done
	Suspect     Point = "suspect"    // a job one crash short of its cap is about to run alone
	Company     Point = "company"    // a handler began in a suspect's process with a job that is none
	LeaseLost   Point = "lease lost" // the worker was told that it no longer holds the job
)

// Event says which process passed a point, and with which attempt.
type Event struct {
	Point   Point
	Process string
	Job     queue.ID
	Token   int64
	Vitals  *Vitals `json:",omitempty"` // of a Pulse
}

// often says in how many of a hundred jobs a point is passed at least once; 0: only after a crash.
func (p Point) often() int {
	switch p {
	case MailAsked, MailMade:
		return 10
	case Looked:
		return 20
	case BegunAgain, Suspect:
		return 0
	}
	return 100
}
