package twice

import (
	"fmt"
	"slices"

	"github.com/twicehq/twice/queue"
)

// Limits of Policy.LogFields.
const (
	maxLogFields = 16
	maxLogField  = 64 // bytes of a name
)

func checkLogFields(fields []string) (found queue.Problems) {
	wrong := func(detail, remedy string) {
		found = append(found, &queue.Error{Reason: queue.ErrInvalid, Detail: detail, Remedy: remedy})
	}
	if len(fields) > maxLogFields {
		wrong(fmt.Sprintf("it names %d LogFields, the limit is %d", len(fields), maxLogFields), "name the ids that lead to the rest")
	}
	for i, name := range fields {
		switch {
		case name == "" || len(name) > maxLogField:
			wrong(fmt.Sprintf("its LogFields name a field of %d bytes", len(name)), fmt.Sprintf("use names of 1 to %d bytes, as the payload's JSON has them", maxLogField))
		case slices.Contains(fields[:i], name):
			wrong(fmt.Sprintf("its LogFields name %.64q twice", name), "name it once")
		}
	}
	return found
}
