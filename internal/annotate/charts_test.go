package annotate

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/internal/dump"
	"github.com/teeyard/teeyard/internal/golden"
	"github.com/teeyard/teeyard/protocol/message/schema"
)

func charts(t *testing.T) []*Chart {
	t.Helper()
	text, err := os.ReadFile("testdata/charts.txt")
	if err != nil {
		t.Fatal(err)
	}
	l, err := ParseCharts(string(text))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// captureFile returns a capture in pcap format.
func captureFile(t *testing.T, name string) []byte {
	t.Helper()
	if name == golden.Join || name == golden.Join6 {
		return golden.File(t, name)
	}
	b, err := os.ReadFile("../dump/testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// sequence returns the messages of a connection of a capture, without those that were sent again. A
// control message is sent again if the same one was the last of its direction.
func sequence(t *testing.T, capture string, conn int) []Message {
	t.Helper()
	var l []Message
	control := map[bool]string{}
	d := dump.New(dump.Config{}, func(r *dump.Record) {
		m := Message{r.Datagram, r.From == "client", r.Name}
		if r.Conn != conn || r.Repeated {
			return
		}
		if r.Kind == "control" {
			again := control[m.ToServer] == r.Name
			if control[m.ToServer] = r.Name; again {
				return
			}
		}
		l = append(l, m)
	})
	err := dump.ReadCapture(bytes.NewReader(captureFile(t, capture)), d.Feed)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestCharts compares each chart with the messages of its capture, in their order.
func TestCharts(t *testing.T) {
	all := charts(t)
	if len(all) < 12 {
		t.Errorf("only %d charts", len(all))
	}
	for _, c := range all {
		messages := sequence(t, c.Capture, c.Conn)
		if err := c.Check(messages); err != nil {
			t.Error(err)
		}
		// The check must find an arrow too many, one too few and two in the wrong order.
		for i := range c.Arrows {
			bad := *c
			bad.Arrows = append(append([]Arrow{}, c.Arrows[:i]...), c.Arrows[i+1:]...)
			if len(bad.Arrows) > 0 && i < len(c.Arrows)-1 && bad.Check(messages) == nil {
				t.Errorf("chart %s is right without arrow %d, too", c.Name, i+1)
			}
			bad.Arrows = append([]Arrow{}, c.Arrows...)
			if i > 0 {
				bad.Arrows[i], bad.Arrows[i-1] = bad.Arrows[i-1], bad.Arrows[i]
				if bad.Check(messages) == nil {
					t.Errorf("chart %s is right with arrows %d and %d in the other order, too", c.Name, i, i+1)
				}
			}
		}
	}
}

// chartBlock is the place of a chart on a page.
var chartBlock = regexp.MustCompile(`(?s)<!-- chart ([a-z0-9.-]+) -->\n(.*?)<!-- end of chart -->`)

// TestChartPages checks that the pages have the charts as they are in charts.txt, and each chart is
// on a page. With the flag -update, it writes them.
func TestChartPages(t *testing.T) {
	byName := map[string]*Chart{}
	shown := map[string]bool{}
	for _, c := range charts(t) {
		if byName[c.Name] != nil {
			t.Errorf("there are two charts %s", c.Name)
		}
		byName[c.Name] = c
	}
	pages, err := filepath.Glob("../../docs/protocol/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range pages {
		page, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		got := chartBlock.ReplaceAllStringFunc(string(page), func(block string) string {
			id := chartBlock.FindStringSubmatch(block)[1]
			c := byName[id]
			if c == nil {
				t.Errorf("%s: there is no chart %s", name, id)
				return block
			}
			shown[id] = true
			return fmt.Sprintf("<!-- chart %s -->\n\n%s\n<!-- end of chart -->", id, c.Markdown(chartTarget(t, c)))
		})
		comparePage(t, name, string(page), got)
	}
	for id := range byName {
		if !shown[id] {
			t.Errorf("chart %s is on no page", id)
		}
	}
}

// chartTarget returns the function that finds the anchor of a message.
func chartTarget(t *testing.T, c *Chart) func(name string) string {
	s, err := schema.Load(fmt.Sprintf("msg%d", c.Version))
	if err != nil {
		t.Fatal(err)
	}
	return func(name string) string {
		for _, m := range s.Messages {
			if m.Name == name {
				return fmt.Sprintf("../reference/messages-0.%d.md#%s", c.Version, strings.ToLower(name))
			}
		}
		for _, p := range s.Packets {
			if p.Name == name || p.Mark == name {
				return fmt.Sprintf("../reference/messages-0.%d.md#%s", c.Version, strings.ToLower(p.Name))
			}
		}
		t.Errorf("chart %s: there is no message %s", c.Name, name)
		return ""
	}
}
