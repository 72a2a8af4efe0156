package store

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"github.com/teeyard/teeyard/game"
)

// name is the name of a value or table.
type name struct{ space, key string }

// tables is what a journal keeps.
type tables struct {
	values  map[name]string
	rows    map[name]map[string]*row
	writers map[uint64]writer
	// bytes is about what all takes in memory.
	bytes int
	last  uint64 // the last change
}

// row is a row of a table.
type row struct {
	score   int64
	value   string
	changed uint64 // tables.last when it got its score
}

// writer is a journal that wrote records.
type writer struct {
	number uint64 // of its last one
	at     uint64 // tables.last then
}

const (
	// maxBytes limits what is kept.
	maxBytes = 64 << 20
	// overhead is about what a value or row takes besides its text.
	overhead = 128
	// maxWriters is how many writers are remembered; those that wrote long ago are gone.
	maxWriters = 64
)

var errFull = errors.New("the storage is full")

func newTables() *tables {
	return &tables{values: map[name]string{}, rows: map[name]map[string]*row{}, writers: map[uint64]writer{}}
}

// applyRecord makes the change of a record, unless it is none.
func (t *tables) applyRecord(body []byte) bool {
	var r record
	if !r.parse(body) {
		return false
	}
	t.apply(&r)
	return true
}

// apply makes a change, unless it was made before.
func (t *tables) apply(r *record) {
	if r.writer != 0 {
		if r.number <= t.writers[r.writer].number {
			return
		}
		t.wrote(r.writer, r.number)
	}
	t.last++
	n := name{r.space, r.key}
	old := t.rows[n][r.row]
	switch r.op {
	case opPut:
		if was, ok := t.values[n]; ok {
			t.bytes -= len(r.space) + len(r.key) + len(was) + overhead
			delete(t.values, n)
		}
		if r.value != "" {
			t.values[n] = r.value
			t.bytes += len(r.space) + len(r.key) + len(r.value) + overhead
		}
	case opBest:
		if old == nil || r.lowFirst && r.score < old.score || !r.lowFirst && r.score > old.score {
			t.setRow(n, r, r.score)
		}
	case opAdd:
		score := r.score
		if old != nil {
			score = addScores(old.score, score)
		}
		t.setRow(n, r, score)
	case opRow:
		t.setRow(n, r, r.score)
	case opDrop:
		t.dropRow(n, r.row)
	}
}

// addScores adds without overflow.
func addScores(a, b int64) int64 {
	switch sum := a + b; {
	case a > 0 && b > 0 && sum < 0:
		return math.MaxInt64
	case a < 0 && b < 0 && sum >= 0:
		return math.MinInt64
	default:
		return sum
	}
}

// wrote notes the last record of a writer.
func (t *tables) wrote(id, number uint64) {
	t.writers[id] = writer{number, t.last}
	if len(t.writers) <= maxWriters {
		return
	}
	oldest := id
	for other, w := range t.writers {
		if at := t.writers[oldest].at; w.at < at || w.at == at && other < oldest {
			oldest = other
		}
	}
	delete(t.writers, oldest)
}

func (t *tables) setRow(n name, r *record, score int64) {
	t.dropRow(n, r.row)
	if t.rows[n] == nil {
		t.rows[n] = map[string]*row{}
	}
	t.rows[n][r.row] = &row{score, r.value, t.last}
	t.bytes += len(n.space) + len(n.key) + len(r.row) + len(r.value) + overhead
}

func (t *tables) dropRow(n name, of string) {
	if old := t.rows[n][of]; old != nil {
		t.bytes -= len(n.space) + len(n.key) + len(of) + len(old.value) + overhead
		if delete(t.rows[n], of); len(t.rows[n]) == 0 {
			delete(t.rows, n)
		}
	}
}

// check returns an error for a change for which there is no room.
func (t *tables) check(r *record) error {
	if t.bytes+len(r.space)+len(r.key)+len(r.row)+len(r.value)+overhead > maxBytes && r.op != opDrop && (r.op != opPut || r.value != "") {
		return errFull
	}
	return nil
}

// answer answers a request that changes nothing.
func (t *tables) answer(r *game.StoreRequest, a *game.StoreAnswer) {
	n := name{r.Space, r.Key}
	switch r.Op {
	case game.StoreGet:
		a.Value, a.Found = t.values[n]
	case game.StoreRow:
		if of := t.rows[n][r.Row.Name]; of != nil {
			a.Found, a.Rows = true, []game.Row{{Name: r.Row.Name, Score: of.score, Value: of.value}}
		}
	case game.StoreTop:
		names := t.sorted(n, func(x, y *row) int {
			if r.LowFirst {
				return cmp.Compare(x.score, y.score)
			}
			return cmp.Compare(y.score, x.score)
		})
		for _, of := range names[:min(len(names), int(r.Limit), game.MaxStoreRows)] {
			row := t.rows[n][of]
			a.Rows = append(a.Rows, game.Row{Name: of, Score: row.score, Value: row.value})
		}
	}
}

// sorted returns the names of the rows of a table, those with equal places in the order in which
// they got their scores.
func (t *tables) sorted(n name, compare func(x, y *row) int) []string {
	rows := t.rows[n]
	names := make([]string, 0, len(rows))
	for of := range rows {
		names = append(names, of)
	}
	slices.SortFunc(names, func(x, y string) int {
		return cmp.Or(compare(rows[x], rows[y]), cmp.Compare(rows[x].changed, rows[y].changed))
	})
	return names
}

// appendAll appends records that make the same tables.
func (t *tables) appendAll(dst []byte) []byte {
	for n, v := range t.values {
		dst = (&record{op: opPut, space: n.space, key: n.key, value: v}).append(dst)
	}
	for n := range t.rows {
		for _, of := range t.sorted(n, func(x, y *row) int { return 0 }) {
			row := t.rows[n][of]
			dst = (&record{op: opRow, space: n.space, key: n.key, row: of, value: row.value, score: row.score}).append(dst)
		}
	}
	for id, w := range t.writers {
		dst = (&record{op: opWriter, writer: id, number: w.number}).append(dst)
	}
	return dst
}
