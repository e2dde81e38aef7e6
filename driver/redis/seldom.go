package redis

import (
	"iter"
	"strings"
)

// The server makes every function of a script anew each time it runs it, and that would be most of what a small script
// costs. So a script gets those functions of script/queue.lua that it uses, and those below the line SELDOM, which few
// runs need, are made by the first call of one: every call F(…) of them is written rare().F(…).

// assemble puts a script together.
func assemble(own string) string {
	own = pieces.constants.into(strings.Join(linesOf(own), "\n"))
	needed := map[*function]bool{}
	var need func(f *function)
	need = func(f *function) {
		if !needed[f] {
			needed[f] = true
			for _, other := range f.names {
				need(other)
			}
		}
	}
	for _, f := range pieces.all {
		if f.name == "" {
			need(f)
		}
	}
	for _, f := range named(own) {
		need(f)
	}
	var often, rare strings.Builder
	var made []string
	for _, f := range pieces.all {
		switch {
		case !needed[f]:
		case f.seldom:
			rare.WriteString(f.text)
			made = append(made, f.name+" = "+f.name)
		default:
			often.WriteString(f.text)
		}
	}
	if len(made) == 0 {
		return often.String() + own
	}
	return "local rare\n" + through(often.String()) +
		"local group\nrare = function()\nif group then return group end\n" + rare.String() + "group = {" + strings.Join(made, ", ") + "}\nreturn group\nend\n" +
		through(own)
}

// function is a function of the shared part, or, without a name, what stands between two.
type function struct {
	name, text string
	seldom     bool
	names      []*function // those that it calls
}

// pieces are what the shared part is made of.
var pieces = func() (p struct {
	all       []*function
	named     map[string]*function
	constants constants
}) {
	p.named = map[string]*function{}
	var text string
	p.constants, text = constantsOf(shared)
	common, seldom, _ := strings.Cut(text, "-- SELDOM")
	_, seldom, _ = strings.Cut(seldom, "\n")
	p.all = append(functionsOf(common, false), functionsOf(seldom, true)...)
	for _, f := range p.all {
		if f.name != "" {
			p.named[f.name] = f
		}
	}
	for _, f := range p.all {
		for word := range words(f.text) {
			if other := p.named[f.text[word.from:word.to]]; other != nil {
				f.names = append(f.names, other)
			}
		}
	}
	return p
}()

// named gives the functions that a text names.
func named(text string) (all []*function) {
	for word := range words(text) {
		if f := pieces.named[text[word.from:word.to]]; f != nil {
			all = append(all, f)
		}
	}
	return all
}

// through writes every call of a function that is seldom needed as one through the group.
func through(text string) string {
	var b strings.Builder
	done := 0
	for word := range words(text) {
		if f := pieces.named[text[word.from:word.to]]; f != nil && f.seldom && word.to < len(text) && text[word.to] == '(' {
			b.WriteString(text[done:word.from] + "rare().")
			done = word.from
		}
	}
	return b.String() + text[done:]
}

type stretch struct{ from, to int }

// words gives the names in a text that are no fields of anything.
func words(text string) iter.Seq[stretch] {
	return func(yield func(stretch) bool) {
		for i := 0; i < len(text); i++ {
			if !letter(text[i]) {
				continue
			}
			from := i
			for i < len(text) && letter(text[i]) {
				i++
			}
			if (from == 0 || text[from-1] != '.') && !yield(stretch{from, i}) {
				return
			}
		}
	}
}

func letter(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

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

const begins = "local function "

// functionsOf takes a text apart.
func functionsOf(text string, seldom bool) (all []*function) {
	var open []string
	name := ""
	end := func() {
		if len(open) > 0 {
			all = append(all, &function{name: name, text: strings.Join(open, "\n") + "\n", seldom: seldom && name != ""})
		}
		open, name = nil, ""
	}
	for _, line := range linesOf(text) {
		if after, found := strings.CutPrefix(line, begins); found {
			end()
			name, _, _ = strings.Cut(after, "(")
		}
		open = append(open, line)
		if name != "" && (line == "end" || len(open) == 1 && strings.HasSuffix(line, " end")) {
			end()
		}
	}
	end()
	return all
}
