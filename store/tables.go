package store

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"github.com/teeyard/teeyard/game"
)

// name identifies a value or a table.
type name struct{ space, key string }

// tables is the content of a journal.
type tables struct {
	values  map[name]string
	rows    map[name]map[string]*row
	writers map[uint64]writer
	// bytes is the approximate size in memory.
	bytes int
	last  uint64 // number of the last change
}

// row is a row of a table.
type row struct {
	score   int64
	value   string
	changed uint64 // tables.last when the row got its score
}

// writer is a journal that has written records.
type writer struct {
	number uint64 // of its last record
	at     uint64 // tables.last at that record
}

const (
	// maxBytes limits tables.bytes.
	maxBytes = 64 << 20
	// overhead is the approximate size in bytes of a value or row without its texts.
	overhead = 128
	// maxWriters is how many writers are remembered. A writer beyond that has not written for a
	// long time.
	maxWriters = 64
)

var errFull = errors.New("the storage is full")

func newTables() *tables {
	return &tables{values: map[name]string{}, rows: map[name]map[string]*row{}, writers: map[uint64]writer{}}
}

// applyRecord applies the change of a record. It reports whether the record is valid.
func (t *tables) applyRecord(body []byte) bool {
	var r record
	if !r.parse(body) {
		return false
	}
	t.apply(&r)
	return true
}

// apply applies a change unless it was applied before.
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

// addScores returns the sum, limited to the range of int64.
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

// wrote records the number of a writer's last record.
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

// check returns an error if a change does not fit into the storage.
func (t *tables) check(r *record) error {
	if t.bytes+len(r.space)+len(r.key)+len(r.row)+len(r.value)+overhead > maxBytes && r.op != opDrop && (r.op != opPut || r.value != "") {
		return errFull
	}
	return nil
}

// answer answers a request that does not change the storage.
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

// sorted returns the names of the rows of a table in order. Equal rows are in the order in which
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

// appendAll appends records that recreate the tables.
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
