package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

func readJSON(name string, to any) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, to)
}

// reason says why a survivor needs no test.
type reason struct {
	same bool // the mutant behaves like the original code
	text string
}

// readReasons reads the list of survivors. Each has its name on one line. The next line is indented
// and has "same:" or "accepted:" and the reason.
func readReasons(file string) (map[string]reason, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return parseReasons(file, string(text))
}

func parseReasons(file, text string) (map[string]reason, error) {
	reasons := map[string]reason{}
	name := ""
	for i, line := range strings.Split(text, "\n") {
		switch said, indented := strings.CutPrefix(line, "    "); {
		case line == "" || line[0] == '#':
		case !indented:
			if name != "" {
				return nil, fmt.Errorf("%s:%d: the mutant in the line before has no reason", file, i+1)
			}
			name = line
		default:
			kind, why, _ := strings.Cut(said, ": ")
			if name == "" || why == "" || kind != "same" && kind != "accepted" {
				return nil, fmt.Errorf("%s:%d: want a mutant's name, and on the next line \"same: REASON\" or \"accepted: REASON\"", file, i+1)
			}
			reasons[name] = reason{kind == "same", why}
			name = ""
		}
	}
	if name != "" {
		return nil, fmt.Errorf("%s: the last mutant has no reason", file)
	}
	return reasons, nil
}

// report prints the figures of each folder. It returns an error if the tests kill less than 90 % of
// the mutants that change behaviour, or if a survivor has no reason.
func report(sample []*mutant, reasons map[string]reason, folders []string) error {
	failed := false
	for _, folder := range folders {
		var kills, same, total, open, left int
		for _, m := range sample {
			if m.pkg.folder != folder {
				continue
			}
			r, listed := reasons[m.name()]
			switch {
			case m.outcome == notRun:
				left++
				continue
			case m.outcome == killed:
				kills++
				if listed {
					fmt.Printf("a test kills this listed survivor; remove it from survivors.txt: %s\n", m.name())
				}
			case r.same:
				same++
				continue
			case !listed:
				open++
			}
			total++
		}
		share := 100 * float64(kills) / float64(max(total, 1))
		fmt.Printf("%s: %d of %d killed (%.0f %%), %d behave like the code, %d survivors without a reason, %d not run\n",
			folder, kills, total, share, same, open, left)
		failed = failed || share < 90 || open > 0
	}
	if failed {
		return fmt.Errorf("too many survivors: write tests, or list them with a reason in survivors.txt")
	}
	return nil
}
