package webpage

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// shortNames returns shorter names for variables of modules. The same name becomes the same shorter
// one everywhere, and no two become equal, so scopes do not matter. A name stays if it is, or may
// be, the name of a property, a class, a global variable of browsers, or in a template.
func shortNames(modules []*module) map[string]string {
	u := usage{count: make(map[string]int), stays: make(map[string]bool), all: make(map[string]bool)}
	for _, name := range keptNames {
		u.stays[name] = true
	}
	for _, m := range modules {
		u.add(m)
	}
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(u.count)), func(name string) bool { return u.stays[name] })
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(u.count[b], u.count[a]) })
	short := make(map[string]string)
	n := 0
	for _, name := range names {
		mark, next := "", ""
		if name[0] == '#' {
			mark = "#"
		}
		for next == "" || u.all[next] || u.stays[next] {
			next, n = letters(n), n+1
		}
		if len(mark+next) < len(name) {
			short[name] = mark + next
		} else {
			n--
		}
	}
	return short
}

// letters returns a different name for each number.
func letters(n int) string {
	const alphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	name := ""
	for n++; n > 0; n = (n - 1) / len(alphabet) {
		name = string(alphabet[(n-1)%len(alphabet)]) + name
	}
	return name
}

// keptNames are keywords, and variables of browsers that modules may also declare.
var keptNames = strings.Fields(`as async await break case catch class const constructor continue debugger default delete do else export extends false finally
	for from function get if import in instanceof let new null of return set static super switch this throw true try typeof var void while with yield
	arguments undefined NaN Infinity eval alert blur caches close closed confirm crypto document event external fetch find focus frames globalThis history
	innerHeight innerWidth length location menubar name navigator open opener origin outerHeight outerWidth parent performance print prompt scheduler screen
	screenX screenY scroll scrollX scrollY self status stop toolbar top visualViewport window`)

// usage is how modules use names.
type usage struct {
	count map[string]int
	stays map[string]bool
	all   map[string]bool // all words, also those in templates
}

// inTemplate matches the words of a template.
var inTemplate = regexp.MustCompile(`#?[A-Za-z_$][\w$]*`)

// add adds a module.
func (u *usage) add(m *module) {
	declared, used := make(map[string]bool), make(map[string]bool)
	for _, i := range m.imports {
		for _, n := range i.names {
			declared[n[1]] = true
		}
	}
	ends := brackets(m.tokens)
	var open []int // the brackets around a token
	for i, t := range m.tokens {
		switch {
		case t.kind == quoted && t.text[0] == '`':
			for _, name := range inTemplate.FindAllString(t.text, -1) {
				u.stays[name], u.all[name] = true, true
			}
		case t.kind == quoted:
			u.stays[strings.Trim(t.text, `'"`)] = true
		case t.kind == sign && strings.Contains("([{", t.text):
			open = append(open, i)
		case t.kind == sign && strings.Contains(")]}", t.text) && len(open) > 0:
			open = open[:len(open)-1]
		case t.kind == word && !isDigit(t.text[0]) && t.text[0] != '.':
			u.all[t.text] = true
			u.count[t.text]++
			p := place{tokens: m.tokens, at: i, ends: ends, inside: -1}
			if len(open) > 0 {
				p.inside = open[len(open)-1]
			}
			switch {
			case t.text[0] == '#':
			case p.isProperty(), p.text(-1) == "class": // programs may read the name of a class
				u.stays[t.text] = true
			default:
				used[t.text] = true
				declared[t.text] = declared[t.text] || p.isDeclaration()
			}
		}
	}
	for name := range used {
		if !declared[name] {
			u.stays[name] = true
		}
	}
}

// brackets returns the index of the closing bracket for each opening one.
func brackets(tokens []token) map[int]int {
	ends := make(map[int]int)
	var open []int
	for i, t := range tokens {
		switch {
		case t.kind != sign:
		case strings.Contains("([{", t.text):
			open = append(open, i)
		case strings.Contains(")]}", t.text) && len(open) > 0:
			ends[open[len(open)-1]] = i
			open = open[:len(open)-1]
		}
	}
	return ends
}

// place is a word among the tokens of a module.
type place struct {
	tokens []token
	at     int
	ends   map[int]int // of brackets
	inside int         // the bracket around it, -1 for none
}

// text returns the text of a token relative to the word, "" for none.
func (p place) text(i int) string {
	if i += p.at; i < 0 || i >= len(p.tokens) || p.tokens[i].kind == quoted {
		return ""
	}
	return p.tokens[i].text
}

// isProperty reports whether the word is, or may be, the name of a property, a method or a label.
func (p place) isProperty() bool {
	before, after := p.text(-1), p.text(1)
	switch {
	case before == "." && p.text(-2) != ".":
		return true
	case after == ":":
		return before != "case" && !strings.Contains("?:=+-*/%<>&|!(", cmp.Or(before, " "))
	case after == "(" && before != "function":
		return p.following(p.ends[p.at+1]) == "{"
	case p.isInBlock():
		return false
	case p.tokens[p.inside].text == "{":
		return (before == "{" || before == ",") && (after == "," || after == "}" || after == "=")
	}
	return false
}

// isInBlock reports whether statements, and not the parts of a value, are around the word.
func (p place) isInBlock() bool {
	if p.inside < 0 {
		return true
	}
	around := place{tokens: p.tokens, at: p.inside}
	switch around.text(-1) {
	case ")", ";", "{", "}", "else", "try", "finally", "do":
		return around.text(0) == "{"
	case ">":
		return around.text(0) == "{" && around.text(-2) == "="
	}
	return false
}

// following returns the text after a token.
func (p place) following(i int) string { return p.text(i - p.at + 1) }

// isDeclaration reports whether the word declares a variable: a constant or a function, or a
// parameter. Other declarations are not found.
func (p place) isDeclaration() bool {
	before, after := p.text(-1), p.text(1)
	switch before {
	case "const", "let", "function":
		return true
	}
	if after == "=" && p.text(2) == ">" || before == "," && (after == "=" || after == ";" || after == ",") && p.isInBlock() {
		return true
	}
	if p.inside < 0 || before != "(" && before != "," && before != "." && before != "[" || after != "," && after != ")" && after != "=" && after != "]" {
		return false
	}
	around := place{tokens: p.tokens, at: p.inside, ends: p.ends}
	if p.tokens[p.inside].text == "[" {
		return around.text(-1) == "const" || around.text(-1) == "let"
	}
	next := p.following(p.ends[p.inside])
	return p.tokens[p.inside].text == "(" && (next == "{" || next == "=" && p.tokens[p.ends[p.inside]+2].text == ">")
}
