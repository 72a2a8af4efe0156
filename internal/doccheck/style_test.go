package doccheck

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var (
	update = flag.Bool("update", false, "lower the limits in limits.txt to the numbers of today, never below the goals")
	final  = flag.Bool("final", false, "set the limits of area rest to the goals, lower the others, and switch the ratchet on")
	places = flag.String("places", "", "print the places of the measures whose names contain `NAME`")
)

const (
	limitsFile  = "limits.txt"
	limitsIntro = `# Limits for the style of the project's texts; docs/contribute/style.md explains them.
# Area "world" is the Go code of server and game, "rest" everything else. Habits are hits per 1,000
# comment lines, strings or sentences; sentences-over-30 is a percentage; the others are counts.
# Limits only go down: TestStyle fails above a limit and, while the ratchet is on, also clearly below
# it, until you run: go test ./internal/doccheck -run TestStyle -update
`
)

// limits is the content of limits.txt.
type limits struct {
	ratchet bool
	of      map[string]float64 // by the names of the measures
}

// parseLimits reads a file of limits.
func parseLimits(text string) (limits, error) {
	l := limits{of: map[string]float64{}}
	for i, line := range strings.Split(text, "\n") {
		fields := strings.Fields(line)
		switch {
		case len(fields) == 0 || fields[0] == "#":
		case len(fields) == 2 && fields[0] == "ratchet":
			l.ratchet = fields[1] == "on"
		case len(fields) == 4:
			v, err := strconv.ParseFloat(fields[3], 64)
			if err != nil {
				return l, fmt.Errorf("%s:%d: %w", limitsFile, i+1, err)
			}
			l.of[strings.Join(fields[:3], " ")] = v
		default:
			return l, fmt.Errorf("%s:%d: not AREA KIND MEASURE LIMIT", limitsFile, i+1)
		}
	}
	return l, nil
}

// bytes returns a file of limits, in the order of the measures.
func (l limits) bytes(measures []Measure) []byte {
	state := map[bool]string{true: "on", false: "off"}[l.ratchet]
	b := bytes.NewBufferString(limitsIntro + "\nratchet " + state + "\n\n")
	for _, m := range measures {
		fmt.Fprintf(b, "%-34s %s\n", m.Name, strconv.FormatFloat(l.of[m.Name], 'f', -1, 64))
	}
	return b.Bytes()
}

// lower sets the limits to the values of today, but not below the goals and not above the limits of
// before. Measures without a limit get one. With final, area rest gets the goals.
func (l *limits) lower(measures []Measure, final bool) {
	l.ratchet = l.ratchet || final
	for _, m := range measures {
		v := max(m.Goal, math.Ceil(m.Value*10-1e-9)/10)
		if final && strings.HasPrefix(m.Name, "rest ") {
			v = m.Goal
		}
		if before, ok := l.of[m.Name]; !ok || v < before || final {
			l.of[m.Name] = v
		}
	}
}

// fault returns the fault of a measure, or "".
func (l limits) fault(m Measure) string {
	limit, ok := l.of[m.Name]
	allowed := limit
	if !l.ratchet {
		allowed = 1.3 * limit // texts that go may have been better than the rest
	}
	switch {
	case !ok:
		return fmt.Sprintf("%s has no limit in %s; run this test with -update", m.Name, limitsFile)
	case m.Value > allowed+1e-9:
		return fmt.Sprintf("%s: %.1f, and the limit is %.1f; rewrite, see docs/contribute/style.md", m.Name, m.Value, limit)
	case l.ratchet && limit > m.Goal && m.Value+3*m.Unit < 0.9*limit:
		return fmt.Sprintf("%s: %.1f is clearly below the limit %.1f: run this test with -update to lower it", m.Name, m.Value, limit)
	}
	return ""
}

// TestStyle compares the texts of the whole module with the limits in limits.txt.
func TestStyle(t *testing.T) {
	measures, err := measureStyle("../..")
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(limitsFile)
	if err != nil && !*update && !*final {
		t.Fatal(err)
	}
	l, err := parseLimits(string(content))
	if err != nil {
		t.Fatal(err)
	}
	if *update || *final {
		l.lower(measures, *final)
		if err := os.WriteFile(limitsFile, l.bytes(measures), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, m := range measures {
		t.Logf("%-34s %7.1f   limit %7.1f   goal %6.1f", m.Name, m.Value, l.of[m.Name], m.Goal)
		wanted := *places != "" && strings.Contains(m.Name, *places)
		fault := l.fault(m)
		if fault != "" {
			t.Error(fault)
		}
		shown := m.Places
		switch {
		case wanted:
		case fault != "":
			shown = shown[:min(5, len(shown))]
		default:
			shown = nil
		}
		for _, p := range shown {
			t.Logf("  %s:%d: %.140s", p.File, p.Line, p.Text)
		}
	}
}

// TestLimits checks when a measure is a fault, and what lowers a limit.
func TestLimits(t *testing.T) {
	l, err := parseLimits("# a comment\nratchet on\nrest docs that-of 10\n")
	if err != nil {
		t.Fatal(err)
	}
	of := func(value float64) Measure {
		return Measure{Name: "rest docs that-of", Value: value, Goal: 1.5, Unit: 0.1}
	}
	for value, want := range map[float64]string{10: "", 10.1: "limit is", 8.8: "", 5: "clearly below"} {
		if got := l.fault(of(value)); want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%v: %q, want %q", value, got, want)
		}
	}
	for _, c := range []struct {
		value float64
		final bool
		want  float64
	}{{11, false, 10}, {6.21, false, 6.3}, {1, false, 1.5}, {6, true, 1.5}} {
		l.of["rest docs that-of"] = 10
		l.lower([]Measure{of(c.value)}, c.final)
		if got := l.of["rest docs that-of"]; got != c.want {
			t.Errorf("%v: the limit is %v, want %v", c.value, got, c.want)
		}
	}
	l.of["rest docs that-of"] = 1.5
	if fault := l.fault(of(0)); fault != "" {
		t.Errorf("at its goal: %s", fault)
	}
	again, err := parseLimits(string(l.bytes([]Measure{of(0)})))
	if err != nil || !again.ratchet || again.of["rest docs that-of"] != 1.5 {
		t.Errorf("written and read: %+v, %v", again, err)
	}
	if _, err := parseLimits("rest docs\n"); err == nil {
		t.Error("a line without a limit is read")
	}
}

// TestHabits checks each habit with texts that have it and texts that do not.
func TestHabits(t *testing.T) {
	for name, examples := range map[string]struct{ has, hasNot []string }{
		"who-clause": {
			[]string{"Who leaves early is blocked", "It waits. Whoever asks gets it", "the names of who plays", "Who is it that plays"},
			[]string{"Who is this?", "players who leave", "The player, who is dead", "Whose turn"},
		},
		"what-clause": {[]string{"What is sent", "to what players see"}, []string{"What else", "somewhat is"}},
		"that-of":     {[]string{"that of the map", "like those of 0.7"}, []string{"that offers"}},
		"somebody":    {[]string{"Nobody", "everybody's"}, []string{"antibody", "a body"}},
		"comma-which": {[]string{"the map, which is"}, []string{"the map in which"}},
		"is-no":       {[]string{"there is no map"}, []string{"is No", "is not a map"}},
		"odd-words":   {[]string{"banned for ever", "Others than these"}, []string{"forever"}},
		"one-does":    {[]string{"where one can see", "count as one"}, []string{"one map"}},
	} {
		for i := range Habits {
			h := &Habits[i]
			if h.Name != name {
				continue
			}
			for _, s := range examples.has {
				if !h.In(s) {
					t.Errorf("%s is not found in %q", name, s)
				}
			}
			for _, s := range examples.hasNot {
				if h.In(s) {
					t.Errorf("%s is found in %q", name, s)
				}
			}
		}
	}
}

// TestSentences checks how a page is split.
func TestSentences(t *testing.T) {
	page := "# A heading of four words\n\nOne two three. Four `a b` [five six](x.md)\nseven: Eight nine ten.\n\n" +
		"- an item of a list\n  goes on here\n\n    code is not a sentence\n\n| a | table is not |\n\n```\nnor is this code\n```\n\nToo short.\n"
	want := []Place{
		{"a.md", 3, "One two three."}, {"a.md", 3, "Four x five six seven:"}, {"a.md", 3, "Eight nine ten."},
		{"a.md", 6, "an item of a list goes on here"},
	}
	if diff := cmp.Diff(want, sentences(File{"a.md", page})); diff != "" {
		t.Error(diff)
	}
	if got := sentences(File{"docs/reference/messages-0.7.md", page}); got != nil {
		t.Errorf("sentences of a generated page: %v", got)
	}
}

// TestTexts checks which lines of a Go file count.
func TestTexts(t *testing.T) {
	source := "// A comment.\n//go:generate x\n\t//nolint\nx := \"a text of more than four words // and more\" + \"a text of more than four words\"\n" +
		"y := \"a text with \\\"quotes\\\" and five spaces\" // \"not a text in a comment, never\"\n" + "var z = 1 // no comment of its own\n"
	f := File{"a.go", source}
	if diff := cmp.Diff([]Place{{"a.go", 1, "A comment."}}, comments(f)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]Place{{"a.go", 5, `a text with \"quotes\" and five spaces`}}, texts(f)); diff != "" {
		t.Error(diff)
	}
	long := strings.Repeat("x", 95)
	lines := File{"a.go", "\t// " + long + "\n// " + long + "\n\tx(" + long + long + ")\n"}
	if got := longLines(lines); len(got) != 2 || got[0].Line != 1 || got[1].Line != 3 {
		t.Errorf("long lines: %v", got)
	}
	pages := File{"a.md", long + " words\n| " + long + " words\n```\n" + long + " words\n```\n[" + long + "](x.md)\n"}
	if got := longLines(pages); len(got) != 1 || got[0].Line != 1 {
		t.Errorf("long lines of a page: %v", got)
	}
}
