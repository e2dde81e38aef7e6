package dashboard

import "time"

// counts writes a number that may be more.
func counts(n int, more bool) string {
	if more {
		return counted(n) + "+"
	}
	return counted(n)
}

func oldestNote(t, now time.Time) string {
	if t.IsZero() {
		return ""
	}
	return "oldest " + since(t, now)
}

func expiredNote(n int) string {
	if n == 0 {
		return ""
	}
	return noun(n, "lease") + " ran out"
}

func diedNote(all []sample) string {
	n, over := died(all)
	if n == 0 {
		return ""
	}
	return counted(n) + " new in " + lasts(over)
}

func paceNote(all []sample) string {
	perSecond, known := throughput(all)
	if !known {
		return ""
	}
	if perSecond == 0 {
		return "none in the last minute"
	}
	return rate(perSecond)
}

func silentNote(n int) string {
	if n == 0 {
		return ""
	}
	return noun(n, "worker") + " fell silent"
}

func handsNote(s slots) string {
	text := "in " + noun(s.Workers, "worker")
	if s.Deaf > 0 {
		text += ", " + counted(s.Deaf) + " deaf"
	}
	if s.Silent > 0 {
		text += ", " + counted(s.Silent) + " silent"
	}
	return text
}
