package script

import (
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	rt "github.com/arnodel/golua/runtime"

	"github.com/teeyard/teeyard/internal/testenv"
)

// TestEveryCallHasCosts visits everything that a script can reach. Each function must pay, and each
// row of the table must belong to a function.
func TestEveryCallHasCosts(t *testing.T) {
	notePaying = true
	defer func() { notePaying = false }()
	w := newWorld(t, `
local k = entity_kind{name = "k"} local m = menu{name = "m", run = function() end} local v = vote{name = "v", run = function() end}
local x = variable{name = "x"}
kept = {k, m, v, x, iterators = function() return players(), pairs({}), ("a"):gmatch("a"), ipairs({}) end}`)
	vm := w.mod.vm
	seen := map[*rt.Table]bool{}
	var unpaid []string
	functions := 0
	var visit func(path string, x rt.Value)
	visit = func(path string, x rt.Value) {
		if g, ok := x.Interface().(*rt.GoFunction); ok {
			functions++
			if !vm.paying[g] {
				unpaid = append(unpaid, path)
			}
			return
		}
		var tables []*rt.Table
		if t, ok := x.TryTable(); ok {
			tables = append(tables, t, t.Metatable(), vm.contents(t))
		} else if u, ok := x.TryUserData(); ok {
			tables = append(tables, u.Metatable())
		}
		for _, t := range tables {
			if t != nil && !seen[t] {
				seen[t] = true
				each(t, func(k, x rt.Value) { visit(path+"."+plain(k), x) })
			}
		}
	}
	visit("", rt.TableValue(vm.env))
	visit("string", rt.TableValue(vm.r.RawMetatable(rt.StringValue(""))))
	visit("player", vm.players[0])
	for k, meta := range vm.metas {
		visit(k.name, rt.TableValue(meta))
		for name, m := range k.members {
			functions++
			for _, key := range memberCosts(k, name, m) {
				if _, ok := costs[key]; !ok {
					unpaid = append(unpaid, key)
				}
			}
		}
	}
	testenv.Check(t, len(unpaid) == 0, "these do not pay: %s", strings.Join(unpaid, ", "))
	testenv.Check(t, functions > 250, "%d functions", functions)
	for _, x := range []rt.Value{rt.IntValue(1), rt.BoolValue(true), rt.NilValue} {
		testenv.Check(t, vm.r.RawMetatable(x) == nil, "values such as %s have methods", describe(x))
	}
}

// memberCosts returns the rows for a member of a kind.
func memberCosts(k *kind, name string, m member) []string {
	switch {
	case m.method != nil:
		return []string{k.name + ":" + name}
	case m.set != nil:
		return []string{k.name + "." + name, k.name + "." + name + " ="}
	}
	return []string{k.name + "." + name}
}

// TestEveryRowIsUsed finds unused rows of the table.
func TestEveryRowIsUsed(t *testing.T) {
	used := map[string]bool{}
	for _, k := range kinds {
		for name, m := range k.members {
			for _, key := range memberCosts(k, name, m) {
				used[key] = true
			}
		}
	}
	source := packageSource(t)
	for key := range costs {
		short := key[strings.LastIndexAny(key, ".")+1:]
		prefix := key[:len(key)-len(short)]
		inLibrary := prefix != "" && strings.Contains(source, fmt.Sprintf("%q", prefix)) && strings.Contains(source, fmt.Sprintf("%q", short))
		testenv.Check(t, used[key] || strings.Contains(source, fmt.Sprintf("%q", key)) || inLibrary, "nothing has the costs %q", key)
	}
}

// TestFmod compares fmodOf with the standard library, which takes longer for larger quotients.
func TestFmod(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	special := []float64{0, math.Copysign(0, -1), 1, -1, 3.1, 1e308, 5e-324, math.MaxFloat64, math.Inf(1), math.Inf(-1), math.NaN(), 0x1p-1022, 1 << 53}
	check := func(x, y float64) {
		got, want := fmodOf(x, y), math.Mod(x, y)
		testenv.Check(t, math.Float64bits(got) == math.Float64bits(want) || math.IsNaN(got) && math.IsNaN(want), "%v %% %v is %v, want %v", x, y, got, want)
	}
	for _, x := range special {
		for _, y := range special {
			check(x, y)
		}
	}
	for range 20000 {
		check(math.Float64frombits(r.Uint64()), math.Float64frombits(r.Uint64()))
		check(r.NormFloat64()*1e6, r.NormFloat64())
	}
}

// packageSource returns the source of the package, without tests and without the table.
func packageSource(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	for _, path := range testenv.Must(filepath.Glob("*.go")) {
		if !strings.HasSuffix(path, "_test.go") && path != "costs.go" {
			b.Write(testenv.Must(os.ReadFile(path)))
		}
	}
	return b.String()
}

// TestCostsAreOfTheirVersion fails if the table has changed. A change makes scripts stop at other
// points, so logs of the version no longer verify. Add a version instead.
func TestCostsAreOfTheirVersion(t *testing.T) {
	h := fnv.New64a()
	for _, key := range slices.Sorted(maps.Keys(costs)) {
		fmt.Fprintln(h, key, costs[key])
	}
	fmt.Fprintln(h, limitsOf(CostsVersion, 1), limitsOf(CostsVersion, 5))
	const want = 0x9322682ec1eb08c7
	testenv.Check(t, CostsVersion == 2 && h.Sum64() == want, "the table of version %d has the sum %#x", CostsVersion, h.Sum64())
}
