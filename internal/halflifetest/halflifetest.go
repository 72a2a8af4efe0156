// Package halflifetest has datagrams of the Half-Life protocol, recorded from real programs, for
// tests.
package halflifetest

import (
	"bytes"
	_ "embed"
	"encoding/hex"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/halflife/wire"
)

//go:embed testdata/vectors.txt
var file string

// Info returns the info in most vectors.
func Info() wire.Info {
	return wire.Info{
		Address: "127.0.0.1:8303", Name: "Tee Wars", Map: "dm1", Dir: "teeworlds", Game: "Teeworlds 0.7 DM",
		Players: 2, Max: 16, Protocol: 47, Type: 'd', OS: 'l',
	}
}

// Players returns the players in the vectors.
func Players() []wire.Player {
	return []wire.Player{
		{Index: 1, Name: "nameless tee", Score: 5, Time: 61500 * time.Millisecond},
		{Index: 2, Name: "brainy", Score: -2, Time: 3605250 * time.Millisecond},
	}
}

// Rules returns the rules in the vectors.
func Rules() []wire.Rule {
	return []wire.Rule{{Name: "sv_gametype", Value: "dm"}, {Name: "sv_scorelimit", Value: "20"}, {Name: "sv_password", Value: "0"}}
}

// Vectors are the datagrams by name. They record the names that a test used.
type Vectors struct {
	t    testing.TB
	b    map[string][]byte
	used map[string]bool
}

// Load returns all vectors.
func Load(t testing.TB) *Vectors {
	t.Helper()
	v := &Vectors{t: t, b: make(map[string][]byte), used: make(map[string]bool)}
	for line := range strings.Lines(file) {
		fields := strings.Fields(line)
		if len(fields) < 2 || fields[0][0] == '#' {
			continue
		}
		b, err := hex.DecodeString(fields[1])
		if err != nil {
			t.Fatalf("%s: %v", fields[0], err)
		}
		v.b[fields[0]] = b
	}
	return v
}

// Get returns a vector and records its use.
func (v *Vectors) Get(name string) []byte {
	v.t.Helper()
	b, ok := v.b[name]
	if !ok {
		v.t.Fatalf("there is no vector %s", name)
	}
	v.used[name] = true
	return b
}

// CheckBytes checks that bytes equal a vector.
func (v *Vectors) CheckBytes(name string, got []byte) {
	v.t.Helper()
	if want := v.Get(name); !bytes.Equal(got, want) {
		v.t.Errorf("%s:\n got %x\nwant %x", name, got, want)
	}
}

// Unused returns the sorted names that no call of Get or CheckBytes had.
func (v *Vectors) Unused() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(v.b)), func(name string) bool { return v.used[name] })
}

// AddTo adds all vectors as seeds of a fuzz test.
func AddTo(f *testing.F) {
	v := Load(f)
	for _, name := range slices.Sorted(maps.Keys(v.b)) {
		f.Add(v.b[name])
	}
}
