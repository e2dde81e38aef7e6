package redis

import (
	"regexp"
	"strings"
)

// The server makes every function of a script anew each time it runs it, and that would be most of what a small script
// costs. So a script gets those functions of script/queue.lua that it uses, and those below the line SELDOM, which few
// runs need, are made by the first call of one: every call F(…) of them is written rare().F(…).

// assemble puts a script together.
func assemble(own string) string {
	common, seldom, _ := strings.Cut(shared, "-- SELDOM")
	_, seldom, _ = strings.Cut(seldom, "\n")
	often, rare := functionsOf(common), functionsOf(seldom)
	own = strings.Join(linesOf(own), "\n")
	often.need(own)
	for again := true; again; { // the one may need what the other has
		again = rare.need(own+often.text()) || often.need(rare.text())
	}
	if rare.text() == "" {
		return often.text() + own
	}
	var made []string
	for _, f := range rare {
		if f.needed && f.name != "" {
			made = append(made, f.name+" = "+f.name)
		}
	}
	group := "local group\nrare = function()\nif group then return group end\n" + rare.text() + "group = {" + strings.Join(made, ", ") + "}\nreturn group\nend\n"
	return "local rare\n" + rare.called(often.text()) + group + rare.called(own)
}

// function is a function of the shared part, or, without a name, what stands between two.
type function struct {
	name, text string
	needed     bool
	used       *regexp.Regexp
}

type functions []*function

// need marks what a text names, and what that names; true: there was anything new.
func (fs functions) need(by string) (more bool) {
	for again := true; again; {
		again = false
		for _, f := range fs {
			if !f.needed && (f.name == "" || f.used.MatchString(by)) {
				f.needed, again, more = true, true, true
				by += f.text
			}
		}
	}
	return more
}

func (fs functions) text() string {
	var b strings.Builder
	for _, f := range fs {
		if f.needed {
			b.WriteString(f.text)
		}
	}
	return b.String()
}

// called writes every call of one of them as one through the group.
func (fs functions) called(text string) string {
	for _, f := range fs {
		if f.name == "" {
			continue
		}
		text = regexp.MustCompile(`(^|[^.\w])`+f.name+`\(`).ReplaceAllString(text, "${1}rare()."+f.name+"(")
	}
	return text
}

var functionName = regexp.MustCompile(`^local function (\w+)`)

// linesOf leaves out comments and empty lines.
func linesOf(text string) (lines []string) {
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if trimmed := strings.TrimSpace(line); trimmed != "" && !strings.HasPrefix(trimmed, "--") {
			lines = append(lines, line)
		}
	}
	return lines
}

// functionsOf takes a text apart.
func functionsOf(text string) (fs functions) {
	var open []string
	name := ""
	end := func() {
		if len(open) > 0 {
			fs = append(fs, &function{name: name, text: strings.Join(open, "\n") + "\n", used: regexp.MustCompile(`(^|[^.\w])` + name + `\b`)})
		}
		open, name = nil, ""
	}
	for _, line := range linesOf(text) {
		if found := functionName.FindStringSubmatch(line); found != nil {
			end()
			name = found[1]
		}
		open = append(open, line)
		if name != "" && (line == "end" || len(open) == 1 && strings.HasSuffix(line, " end")) {
			end()
		}
	}
	end()
	return fs
}
