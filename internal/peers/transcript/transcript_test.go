//go:build peers

// Package transcript has only tests. They take clients through the same scenario on
// teeworlds-server 0.7.5 and on our server, and compare the messages that the clients get.
package transcript

import (
	_ "embed"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/internal/peers"
)

// TestMain runs all tours at the same time: they mostly wait.
func TestMain(m *testing.M) {
	flag.Set("test.parallel", "64")
	peers.Main(m)
}

//go:embed testdata/differences.txt
var knownDifferences string

// TestTranscript runs the tours on both servers, all at the same time, and compares the transcripts
// line by line. They must differ in exactly the lines of testdata/differences.txt.
func TestTranscript(t *testing.T) {
	peers.RequirePrograms(t, "teeworlds-server")
	known, err := readDifferences(knownDifferences)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range tours {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			var original, ours []string
			t.Run("servers", func(t *testing.T) { // returns when both servers are done
				t.Run("original", func(t *testing.T) {
					t.Parallel()
					original = v.run(t, peers.StartOriginalIn)
				})
				t.Run("ours", func(t *testing.T) {
					t.Parallel()
					ours = v.run(t, peers.StartTeeyardIn)
				})
			})
			if !t.Failed() {
				v.compare(t, original, ours, known)
			}
		})
	}
}

// compare compares two transcripts.
func (v *tour) compare(t *testing.T, original, ours, known []string) {
	if dir := os.Getenv("TEEYARD_TRANSCRIPTS"); dir != "" {
		peers.WriteFile(t, filepath.Join(dir, v.name+".original.txt"), []byte(strings.Join(original, "\n")))
		peers.WriteFile(t, filepath.Join(dir, v.name+".ours.txt"), []byte(strings.Join(ours, "\n")))
	}
	if len(original) < v.least {
		t.Fatalf("only %d lines:\n%s", len(original), strings.Join(original, "\n"))
	}
	for _, l := range original {
		if strings.HasSuffix(l, timedOut) {
			t.Errorf("the tour is wrong about the original: %s", l)
		}
	}
	times := map[string]int{} // below 0: listed, but missing
	differing := diff(original, ours)
	for _, l := range differing {
		times[l]++
	}
	for _, l := range known {
		if v.has(l) {
			times[l]--
		}
	}
	for _, l := range slices.Sorted(maps.Keys(times)) {
		if n := times[l]; n > 0 {
			t.Errorf("not listed, %d times: %s", n, l)
		} else if n < 0 {
			t.Errorf("listed in differences.txt but not found, %d times: %s", -n, l)
		}
	}
	t.Logf("%d lines of the original, %d of ours, %d differ", len(original), len(ours), len(differing))
}

// prefix returns the beginning of the names of a tour's steps.
func (v *tour) prefix() string {
	if v.name == "dm" {
		return ""
	}
	return v.name + ": "
}

// has reports whether a line of differences.txt is about the tour.
func (v *tour) has(line string) bool {
	for _, other := range tours {
		if p := other.prefix(); p != "" && strings.HasPrefix(line[2:], p) {
			return other.name == v.name
		}
	}
	return v.prefix() == ""
}

// readDifferences parses the list of differences. Each paragraph begins with a reason. Then come
// lines that only the original has, after "- ", and lines that only our server has, after "+ ". A #
// begins a comment.
func readDifferences(list string) (all []string, err error) {
	reason, used := false, true
	for i, l := range strings.Split(list, "\n") {
		switch {
		case strings.HasPrefix(l, "#"):
		case l == "":
			if reason && !used {
				return nil, fmt.Errorf("differences.txt:%d: a reason without lines", i+1)
			}
			reason, used = false, true
		case strings.HasPrefix(l, "- "), strings.HasPrefix(l, "+ "):
			if !reason {
				return nil, fmt.Errorf("differences.txt:%d: no reason", i+1)
			}
			used = true
			all = append(all, l)
		case reason && used:
			return nil, fmt.Errorf("differences.txt:%d: a reason begins a paragraph", i+1)
		default:
			reason, used = true, false
		}
	}
	return all, nil
}

// TestTranscriptDifferencesNeedReasons checks that readDifferences rejects a malformed list.
func TestTranscriptDifferencesNeedReasons(t *testing.T) {
	for _, bad := range []string{"- a", "why\n\n- a", "why\n- a\nwhy\n- b\n", "why\n- a\n\n- b"} {
		if got, err := readDifferences(bad); err == nil {
			t.Errorf("%q is read as %q", bad, got)
		}
	}
	got, err := readDifferences("# about\n\nwhy\nso\n- a\n+ b\n\nwhy not\n+ c\n")
	if err != nil || fmt.Sprint(got) != "[- a + b + c]" {
		t.Errorf("%q, %v", got, err)
	}
	if d := diff([]string{"a", "b", "c", "d"}, []string{"a", "c", "b", "d", "e"}); fmt.Sprint(d) != "[- b + b + e]" {
		t.Errorf("the difference is %q", d)
	}
}

// diff returns the lines that only a has, after "- ", and the lines that only b has, after "+ ". It
// returns the fewest lines possible; among equal solutions, it prefers lines that come first in a.
func diff(a, b []string) (out []string) {
	common := make([][]int, len(a)+1) // lengths of the longest common subsequences of a[i:] and b[j:]
	for i := range common {
		common[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && common[i+1][j] >= common[i][j+1]:
			out = append(out, "- "+a[i])
			i++
		default:
			out = append(out, "+ "+b[j])
			j++
		}
	}
	return out
}
