package peers

import (
	_ "embed"
	"fmt"
	"strings"
	"testing"
)

//go:embed testdata/transcript.differences
var knownDifferences string

// TestTranscript takes players through the same tour on teeworlds-server 0.7.5 and
// on our server, and compares what they are told, line by line. The transcripts
// differ in exactly what testdata/transcript.differences lists.
func TestTranscript(t *testing.T) {
	Need(t, "teeworlds-server")
	t.Parallel()
	var original, ours []string
	t.Run("servers", func(t *testing.T) {
		t.Run("original", func(t *testing.T) {
			t.Parallel()
			home := transcriptHome(t)
			original = walk(t, runOriginal(t, home, transcriptSettings))
		})
		t.Run("ours", func(t *testing.T) {
			t.Parallel()
			home := transcriptHome(t)
			ours = walk(t, runTeeyard(t, home, transcriptSettings))
		})
	})
	if t.Failed() {
		return
	}
	const least = 1800
	if len(original) < least {
		t.Fatalf("only %d lines:\n%s", len(original), strings.Join(original, "\n"))
	}
	for _, l := range original {
		if strings.HasSuffix(l, awaitedInVain) {
			t.Errorf("the tour is wrong about the original: %s", l)
		}
	}
	known, err := readDifferences(knownDifferences)
	if err != nil {
		t.Fatal(err)
	}
	differing := diff(original, ours)
	unlisted := map[string]int{} // below 0: listed and not there
	for _, l := range differing {
		unlisted[l]++
	}
	for _, l := range known {
		unlisted[l]--
	}
	for _, l := range differing {
		if unlisted[l] > 0 {
			unlisted[l]--
			t.Errorf("not listed: %s", l)
		}
	}
	for _, l := range known {
		if unlisted[l] < 0 {
			unlisted[l]++
			t.Errorf("no longer so: %s", l)
		}
	}
	t.Logf("%d lines of the original, %d of ours, %d differ", len(original), len(ours), len(differing))
}

// readDifferences reads the list: paragraphs of lines "- " that only the original
// has and "+ " that only ours has, each after the reason for them. A # begins a
// comment.
func readDifferences(list string) (all []string, err error) {
	reason, used := false, true
	for i, l := range strings.Split(list, "\n") {
		switch {
		case strings.HasPrefix(l, "#"):
		case l == "":
			if reason && !used {
				return nil, fmt.Errorf("transcript.differences:%d: a reason without lines", i+1)
			}
			reason, used = false, true
		case strings.HasPrefix(l, "- "), strings.HasPrefix(l, "+ "):
			if !reason {
				return nil, fmt.Errorf("transcript.differences:%d: no reason", i+1)
			}
			used = true
			all = append(all, l)
		case reason && used:
			return nil, fmt.Errorf("transcript.differences:%d: a reason begins a paragraph", i+1)
		default:
			reason, used = true, false
		}
	}
	return all, nil
}

// The list itself must not be able to hide anything.
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

// diff tells which lines only a has ("- ") and only b has ("+ "): the fewest that
// explain it, and of those the first in a.
func diff(a, b []string) (out []string) {
	common := make([][]int, len(a)+1) // length of the longest common rest
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
