package annotate

import (
	"fmt"
	"strings"
)

// Chart is a sequence of messages between a client and a server.
type Chart struct {
	// Name is how pages refer to the chart.
	Name string
	// Version is 7 or 6.
	Version int
	// Capture is the file in which this sequence occurs, From the number of its first datagram and
	// Conn the number of the connection, both from 1.
	Capture    string
	From, Conn int
	// Without are messages that the chart leaves out.
	Without []string
	Arrows  []Arrow
}

// Arrow is a message of a Chart.
type Arrow struct {
	ToServer bool
	Name     string // as in the schema
	Many     bool   // the message comes once or more often
	Note     string
}

// ParseCharts reads charts. A chart begins with a line that has its name and words such as
// version=7, capture=FILE, from=1, conn=1 and without=NAME,NAME. Each further line is an arrow:
// > to the server or < to the client, the name of the message, a + if it may come more than
// once, and a note. Lines that begin with # are comments.
func ParseCharts(text string) ([]*Chart, error) {
	var charts []*Chart
	n := 0
	for line := range strings.Lines(text) {
		n++
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || strings.HasPrefix(line, "#"):
		case words[0] == "chart":
			c, err := parseChart(words[1:])
			if err != nil {
				return nil, fmt.Errorf("annotate: line %d: %w", n, err)
			}
			charts = append(charts, c)
		case len(charts) == 0 || len(words) < 2 || words[0] != ">" && words[0] != "<":
			return nil, fmt.Errorf("annotate: line %d: %q is not an arrow of a chart", n, strings.TrimSpace(line))
		default:
			name, many := strings.CutSuffix(words[1], "+")
			c := charts[len(charts)-1]
			c.Arrows = append(c.Arrows, Arrow{words[0] == ">", name, many, strings.Join(words[2:], " ")})
		}
	}
	return charts, nil
}

func parseChart(words []string) (*Chart, error) {
	if len(words) == 0 {
		return nil, fmt.Errorf("a chart without a name")
	}
	c := &Chart{Name: words[0], From: 1, Conn: 1}
	for _, w := range words[1:] {
		key, value, _ := strings.Cut(w, "=")
		var err error
		switch key {
		case "version":
			_, err = fmt.Sscan(value, &c.Version)
		case "from":
			_, err = fmt.Sscan(value, &c.From)
		case "conn":
			_, err = fmt.Sscan(value, &c.Conn)
		case "capture":
			c.Capture = value
		case "without":
			c.Without = strings.Split(value, ",")
		default:
			err = fmt.Errorf("%q is not a word of a chart", w)
		}
		if err != nil {
			return nil, fmt.Errorf("chart %s: %s: %w", c.Name, w, err)
		}
	}
	return c, nil
}

// usual are the messages that no chart shows, because they come all the time.
var usual = []string{"KEEPALIVE", "INPUT", "INPUTTIMING", "SNAP", "SNAPSINGLE", "SNAPEMPTY"}

// Markdown returns the chart as a table. Each message is a link that target returns.
func (c *Chart) Markdown(target func(name string) string) string {
	var b strings.Builder
	b.WriteString("| client | | server | |\n|---|:---:|---|---|\n")
	for _, a := range c.Arrows {
		name := fmt.Sprintf("[%s](%s)", a.Name, target(a.Name))
		if a.Many {
			name += " ×n"
		}
		note := a.Note
		if note != "" {
			note = " " + note
		}
		if a.ToServer {
			fmt.Fprintf(&b, "| %s | ──▶ | |%s |\n", name, note)
		} else {
			fmt.Fprintf(&b, "| | ◀── | %s |%s |\n", name, note)
		}
	}
	return b.String()
}

// Message is a message of a capture, for Chart.Check.
type Message struct {
	Datagram int // from 1
	ToServer bool
	Name     string
}

// Check compares the chart with the messages of its connection in the capture. Messages that were
// sent again must not be among them.
func (c *Chart) Check(messages []Message) error {
	hidden := map[string]bool{}
	for _, name := range append(c.Without, usual...) {
		hidden[name] = true
	}
	for _, a := range c.Arrows {
		delete(hidden, a.Name)
	}
	next, repeats := 0, false // the arrow to come; whether the one before it came
	for _, m := range messages {
		if m.Datagram < c.From || hidden[m.Name] {
			continue
		}
		if next > 0 && repeats && c.Arrows[next-1].is(m) {
			continue
		}
		if next == len(c.Arrows) {
			return nil
		}
		a := c.Arrows[next]
		if !a.is(m) {
			return fmt.Errorf("chart %s: datagram %d has %s, but arrow %d is %s", c.Name, m.Datagram, m.Name, next+1, a.Name)
		}
		next, repeats = next+1, a.Many
	}
	if next < len(c.Arrows) {
		return fmt.Errorf("chart %s: the capture ends before arrow %d, %s", c.Name, next+1, c.Arrows[next].Name)
	}
	return nil
}

func (a Arrow) is(m Message) bool { return a.ToServer == m.ToServer && a.Name == m.Name }
