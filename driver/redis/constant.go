package redis

import (
	"regexp"
	"strings"
)

// A function of a script that uses a local of the script's costs a walk through all such locals each time the function is
// made, which is each time the script runs. So the constants of script/queue.lua are no locals: they are written into
// the text wherever their names stand.
type constants map[string]string

var constantLine = regexp.MustCompile(`(?m)^local ([A-Z]+(?:, [A-Z]+)*) = ([^-\n]*?) *(?:--.*)?\n`)

// constantsOf takes them out of a text.
func constantsOf(text string) (constants, string) {
	all := constants{}
	for _, line := range constantLine.FindAllStringSubmatch(text, -1) {
		values := strings.Split(line[2], ", ")
		for i, name := range strings.Split(line[1], ", ") {
			all[name] = "(" + all.into(values[i]) + ")" // which may name one from above
		}
	}
	return all, all.into(constantLine.ReplaceAllString(text, ""))
}

// into writes them into a text.
func (c constants) into(text string) string {
	var b strings.Builder
	done := 0
	for word := range words(text) {
		if value := c[text[word.from:word.to]]; value != "" {
			b.WriteString(text[done:word.from] + value)
			done = word.to
		}
	}
	return b.String() + text[done:]
}
