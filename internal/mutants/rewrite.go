package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// switchCode is added to each changed package. It selects the mutant that is on, and records the
// mutants that a test reaches.
const switchCode = `package %s

import (
	"os"
	"strconv"
	"sync/atomic"
)

var (
	mutantNow, _ = strconv.Atoi(os.Getenv("TEEYARD_MUTANT"))
	mutantSeen   = new([%d]atomic.Bool)
	mutantHits   = func() *os.File {
		if name := os.Getenv("TEEYARD_MUTANT_HITS"); name != "" {
			f, _ := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
			return f
		}
		return nil
	}()
)

func mutantOn(id int) bool {
	if mutantHits != nil {
		mutantHit(id)
	}
	return id == mutantNow
}

func mutantHit(id int) {
	if !mutantSeen[id].Swap(true) {
		mutantHits.WriteString(strconv.Itoa(id) + "\n")
	}
}

func mutantPick[T any](id int, is, other T) T {
	if mutantOn(id) {
		return other
	}
	return is
}

func mutantOne[T int | int8 | int16 | int32 | int64 | uint | uint8 | uint16 | uint32 | uint64 | uintptr](id int) T {
	if mutantOn(id) {
		return 1
	}
	return 0
}
`

// writeOverlay writes the changed files and an overlay for the go command, and returns the
// overlay's path.
func writeOverlay(dir string, pkgs []*source, sample []*mutant) (string, error) {
	replace := map[string]string{}
	put := func(file, code string) error {
		full, err := filepath.Abs(file)
		if err != nil {
			return err
		}
		to := filepath.Join(dir, fmt.Sprintf("%d.go", len(replace)))
		replace[full] = to
		return os.WriteFile(to, []byte(code), 0o600)
	}
	for _, p := range pkgs {
		changed := false
		name := ""
		for _, f := range p.files {
			var own []*mutant
			for _, m := range sample {
				if m.file == f {
					own = append(own, m)
				}
			}
			if len(own) == 0 {
				continue
			}
			code, err := os.ReadFile(f)
			if err != nil {
				return "", err
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), f, code, parser.PackageClauseOnly)
			if err != nil {
				return "", err
			}
			name, changed = parsed.Name.Name, true
			if err := put(f, change(string(code), own)); err != nil {
				return "", err
			}
		}
		if changed {
			if err := put(p.dir+"/zz_mutants.go", fmt.Sprintf(switchCode, name, len(sample)+1)); err != nil {
				return "", err
			}
		}
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	name := filepath.Join(dir, "overlay.json")
	return name, os.WriteFile(name, text, 0o600)
}

// change returns a file's code with all its mutants added.
func change(code string, own []*mutant) string {
	type insertion struct {
		at    int
		end   bool
		other int // position of the mutant's other end
		order int // order of mutants at the same place
		text  string
	}
	var all []insertion
	for i, m := range own {
		before, after := m.before, m.after
		if strings.Contains(before, "%") {
			before = fmt.Sprintf(before, m.id)
		}
		if strings.Contains(after, "%d") {
			after = fmt.Sprintf(after, m.id)
		} else {
			after = strings.ReplaceAll(after, "%%", "%")
		}
		// A statement encloses the expression that it consists of.
		order := i + 1
		if strings.HasPrefix(m.before, "if ") {
			order = 0
		}
		all = append(all, insertion{m.start, false, m.end, order, before}, insertion{m.end, true, m.start, order, after})
	}
	slices.SortStableFunc(all, func(a, b insertion) int {
		if a.at != b.at || a.end != b.end {
			// At a position where one place ends and the next begins, the end comes first.
			return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(btoi(b.end), btoi(a.end)))
		}
		if a.end {
			return cmp.Or(cmp.Compare(b.other, a.other), cmp.Compare(b.order, a.order))
		}
		return cmp.Or(cmp.Compare(b.other, a.other), cmp.Compare(a.order, b.order))
	})
	var b strings.Builder
	last := 0
	for _, in := range all {
		b.WriteString(code[last:in.at])
		b.WriteString(in.text)
		last = in.at
	}
	b.WriteString(code[last:])
	return b.String()
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
