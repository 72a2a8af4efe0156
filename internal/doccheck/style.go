package doccheck

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// Habit is a way of writing that makes text hard to read. A single hit can be right; a text with
// many of them has to be read twice.
type Habit struct {
	Name string
	// Aim is the number of hits per 1,000 lines or sentences in projects that read well.
	Aim float64

	pattern *regexp.Regexp
	// question, if set, matches the text after a hit of pattern if the hit is a question and not a
	// fault.
	question *regexp.Regexp
	// other, if set, is a second pattern, for which question does not count.
	other *regexp.Regexp
}

// Habits are the habits that are counted. The aims were measured in quic-go, dragonfly and the
// standard library of Go.
var Habits = []Habit{
	{
		Name: "who-clause", Aim: 0.3, // "Who leaves early ...", "of who plays"
		pattern:  regexp.MustCompile(`(?:^|[.;:,] )Who(?:ever)? `),
		question: regexp.MustCompile(`^is\b.*\?`),
		other:    regexp.MustCompile(`\b(?:of|to|for|by|tells?|told|lets?|than|when|and|or) who \w+`),
	},
	{
		Name: "what-clause", Aim: 2, // "what is sent", "what players see"
		pattern: regexp.MustCompile(`\b[Ww]hat (?:is|are|was|were|has|have|comes|came|can|does|did|belongs|happens|happened|` +
			`players|others|operators|they|it|we|somebody|mods|clients|a client|the client|a server|the server)\b`),
	},
	{Name: "that-of", Aim: 1, pattern: regexp.MustCompile(`\b(?:that|those) of\b`)},
	{Name: "somebody", Aim: 1, pattern: regexp.MustCompile(`\b(?:[Ss]ome|[Nn]o|[Aa]ny|[Ee]very)body\b`)},
	{Name: "comma-which", Aim: 8, pattern: regexp.MustCompile(`, which\b`)},
	{Name: "is-no", Aim: 3, pattern: regexp.MustCompile(`\b(?:is|are|was|were) no [a-z]+`)},
	{
		Name: "odd-words", Aim: 0.5,
		pattern: regexp.MustCompile(`\b(?:for ever|in vain|[Oo]thers? than|the former|the latter|makes? up|made up|` +
			`thereby|therein|thereof|wherein|such a one)\b`),
	},
	{Name: "one-does", Aim: 0.5, pattern: regexp.MustCompile(`\b(?:one (?:can|may|has|gets|sees|plays|joins)|as one\b)`)},
}

// In reports whether a text has the habit.
func (h *Habit) In(text string) bool {
	if h.question == nil {
		return h.pattern.MatchString(text)
	}
	for _, at := range h.pattern.FindAllStringIndex(text, -1) {
		if !h.question.MatchString(text[at[1]:]) {
			return true
		}
	}
	return h.other != nil && h.other.MatchString(text)
}

// Place is a line of a file, or a sentence that begins there.
type Place struct {
	File string
	Line int // from 1
	Text string
}

// isGenerated reports whether a Go file is written by a generator.
func isGenerated(name string) bool { return strings.HasSuffix(name, "_gen.go") }

var commentLine = regexp.MustCompile(`^\s*// ?(.*)`)

// comments returns the lines of a Go file that are comments alone, without directives.
func comments(f File) []Place {
	if isGenerated(f.Name) {
		return nil
	}
	var places []Place
	for i, line := range f.Lines() {
		m := commentLine.FindStringSubmatch(line)
		if m != nil && !strings.HasPrefix(m[1], "go:") && !strings.HasPrefix(m[1], "nolint") {
			places = append(places, Place{f.Name, i + 1, m[1]})
		}
	}
	return places
}

var longString = regexp.MustCompile(`"((?:[^"\\]|\\.){25,})"`)

// texts returns the strings of a Go file that are long enough to be sentences: 25 characters and
// four spaces. Strings of tests do not count.
func texts(f File) []Place {
	if isGenerated(f.Name) || strings.HasSuffix(f.Name, "_test.go") {
		return nil
	}
	var places []Place
	for i, line := range f.Lines() {
		code, _, _ := strings.Cut(line, "//")
		for _, m := range longString.FindAllStringSubmatch(code, -1) {
			if strings.Count(m[1], " ") >= 4 {
				places = append(places, Place{f.Name, i + 1, m[1]})
			}
		}
	}
	return places
}

var (
	listItem   = regexp.MustCompile(`^\s*(?:[-*]|\d+\.) `)
	linkOrCode = regexp.MustCompile("\\[([^]]*)\\]\\([^)]*\\)|`[^`]*`")
)

// isGeneratedPage reports whether a page is a reference that a generator writes.
func isGeneratedPage(name string) bool { return strings.Contains(name, "messages-") }

// sentences returns the sentences of a Markdown file. Headings, tables, code blocks and sentences
// of fewer than three words do not count. A link counts as its text, and code as a single letter.
func sentences(f File) []Place {
	if isGeneratedPage(f.Name) {
		return nil
	}
	var places []Place
	var paragraph []string
	start := 1
	flush := func() {
		text := linkOrCode.ReplaceAllStringFunc(strings.Join(paragraph, " "), func(s string) string {
			if m := linkOrCode.FindStringSubmatch(s); m[1] != "" {
				return m[1]
			}
			return "x"
		})
		for _, s := range splitSentences(text) {
			if strings.Count(s, " ") >= 2 {
				places = append(places, Place{f.Name, start, s})
			}
		}
		paragraph = nil
	}
	fence := false
	for i, line := range f.Lines() {
		if strings.HasPrefix(line, "```") {
			fence = !fence
		}
		item := listItem.FindString(line)
		switch {
		case fence || item != "" || strings.TrimSpace(line) == "" || hasAnyPrefix(line, "|", "#", "    ", "<!--"):
			flush()
			start = i + 1
			if item != "" && !fence {
				paragraph = []string{line[len(item):]}
			}
		default:
			if paragraph == nil {
				start = i + 1
			}
			paragraph = append(paragraph, strings.TrimSpace(line))
		}
	}
	flush()
	return places
}

var sentenceEnd = regexp.MustCompile("[.!?:](\\s+)[A-Z`*\\[]")

// splitSentences splits a paragraph at white space between one of . ! ? : and a capital letter,
// code, emphasis or a link.
func splitSentences(text string) []string {
	var out []string
	begin, from := 0, 0
	for {
		m := sentenceEnd.FindStringSubmatchIndex(text[from:])
		if m == nil {
			return append(out, text[begin:])
		}
		out = append(out, text[begin:from+m[2]])
		begin = from + m[3]
		from = begin
	}
}

func hasAnyPrefix(s string, prefixes ...string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

// The longest lines, in columns; a tab has 4.
const (
	maxProse = 100 // of comments and Markdown
	maxCode  = 160
)

// longLines returns the lines of a Go or Markdown file that are too long. In Markdown, tables, code
// and lines with links may have any length.
func longLines(f File) []Place {
	if isGenerated(f.Name) {
		return nil
	}
	markdown := strings.HasSuffix(f.Name, ".md")
	var places []Place
	fence := false
	for i, line := range f.Lines() {
		limit := maxCode
		switch {
		case markdown:
			limit = maxProse
			if strings.HasPrefix(line, "```") {
				fence = !fence
			}
			if fence || strings.Contains(line, "](") || hasAnyPrefix(line, "|", "    ", "<") {
				continue
			}
		case strings.HasPrefix(strings.TrimSpace(line), "//"):
			limit = maxProse
			fallthrough
		default:
			line = strings.ReplaceAll(line, "\t", "    ")
		}
		if utf8.RuneCountInString(line) > limit {
			places = append(places, Place{f.Name, i + 1, strings.TrimSpace(line)})
		}
	}
	return places
}
