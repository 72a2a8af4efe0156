package script

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	rt "github.com/arnodel/golua/runtime"

	"github.com/teeyard/teeyard/game"
)

// The state of a script is encoded as a tree of values. The fields of a table are sorted by key, so
// equal states have equal bytes.
const (
	tagFalse  = 'f'
	tagTrue   = 't'
	tagInt    = 'i'
	tagFloat  = 'd'
	tagString = 's'
	tagPlayer = 'p'
	tagTable  = '{'
	tagEnd    = '}'
)

// maxStateDepth is how deep tables in state can be nested.
const maxStateDepth = 20

// field returns the path of a field of a table, for errors.
func field(path string, k rt.Value) string {
	if s, ok := k.TryString(); ok {
		return path + "." + s
	}
	return path + "[" + plain(k) + "]"
}

// appendTable appends the fields of a table. It returns an error for values that state cannot
// contain; path names the table in the error.
func (v *vm) appendTable(dst []byte, t *rt.Table, path string, depth int) ([]byte, error) {
	if depth > maxStateDepth {
		return dst, fmt.Errorf("%s is nested too deeply, or contains itself", path)
	}
	if _, ok := v.frozen[t]; ok {
		return dst, fmt.Errorf("%s is a table of the file; copy its values to save them", path)
	}
	if t.Metatable() != nil {
		return dst, fmt.Errorf("%s has a metatable, which is not saved", path)
	}
	start := len(v.keys)
	defer func() { v.keys = v.keys[:start] }()
	var err error
	if v.keys, err = v.appendKeys(v.keys, t); err != nil {
		return dst, fmt.Errorf("%s: %w", path, err)
	}
	end := len(v.keys)
	for i := start; i < end; i++ {
		k := v.keys[i]
		if dst, err = v.appendValue(dst, k, path, depth); err != nil {
			return dst, err
		}
		x := t.Get(k)
		if _, ok := x.TryTable(); ok || rank(x) == 0 {
			dst, err = v.appendValue(dst, x, field(path, k), depth)
		} else {
			dst, err = v.appendValue(dst, x, path, depth)
		}
		if err != nil {
			return dst, err
		}
		if len(dst) > maxState {
			return dst, fmt.Errorf("state has more than %d bytes", maxState)
		}
	}
	return append(dst, tagEnd), nil
}

func (v *vm) appendValue(dst []byte, x rt.Value, path string, depth int) ([]byte, error) {
	switch x.Type() {
	case rt.BoolType:
		if x.AsBool() {
			return append(dst, tagTrue), nil
		}
		return append(dst, tagFalse), nil
	case rt.IntType:
		return binary.AppendVarint(append(dst, tagInt), x.AsInt()), nil
	case rt.FloatType:
		bits := math.Float64bits(x.AsFloat())
		if x.IsNaN() {
			bits = math.Float64bits(math.NaN()) // the sign of NaN differs between machines
		}
		return binary.LittleEndian.AppendUint64(append(dst, tagFloat), bits), nil
	case rt.StringType:
		s := x.AsString()
		if len(s) > maxState {
			return dst, fmt.Errorf("state has more than %d bytes", maxState)
		}
		return append(binary.AppendUvarint(append(dst, tagString), uint64(len(s))), s...), nil
	case rt.TableType:
		return v.appendTable(append(dst, tagTable), x.AsTable(), path, depth+1)
	}
	if id, ok := playerOf(x); ok {
		return append(dst, tagPlayer, byte(id)), nil
	}
	return dst, fmt.Errorf("%s is a %s, which cannot be saved", path, typeName(x))
}

// stateVersion marks a state that begins with a version number: the other bits are the version. A
// state of version 1 of the costs has no version and begins with the length of a source.
const stateVersion = 1 << 40

// version reads the version at the beginning. It returns false if the state has none, as with the
// costs of version 1.
func (d *decoder) version(want int) bool {
	x, n := binary.Uvarint(d.b)
	if n <= 0 || x&stateVersion == 0 {
		return false
	}
	if d.b = d.b[n:]; x != stateVersion|uint64(want) {
		d.fail()
	}
	return true
}

// errState is the error for bytes that are not a valid state.
var errState = errors.New("script: the bytes are not a saved state of a script")

// decoder decodes a state.
type decoder struct {
	b   []byte
	err error
}

func (d *decoder) fail() { d.b, d.err = nil, errState }

func (d *decoder) byte() byte {
	if len(d.b) == 0 {
		d.fail()
		return 0
	}
	x := d.b[0]
	d.b = d.b[1:]
	return x
}

func (d *decoder) bytes(n uint64) []byte {
	if n > uint64(len(d.b)) {
		d.fail()
		return nil
	}
	x := d.b[:n]
	d.b = d.b[n:]
	return x
}

func (d *decoder) uvarint() uint64 {
	x, n := binary.Uvarint(d.b)
	if n <= 0 {
		d.fail()
		return 0
	}
	d.b = d.b[n:]
	return x
}

func (d *decoder) varint() int64 {
	x, n := binary.Varint(d.b)
	if n <= 0 {
		d.fail()
		return 0
	}
	d.b = d.b[n:]
	return x
}

func (d *decoder) text() string { return string(d.bytes(d.uvarint())) }

// table reads fields until the end of a table.
func (d *decoder) table(v *vm, t *rt.Table, depth int) {
	if depth > maxStateDepth {
		d.fail()
	}
	for d.err == nil {
		tag := d.byte()
		if tag == tagEnd {
			return
		}
		k := d.value(v, tag, depth)
		if rank(k) == 0 || k.IsNaN() {
			d.fail()
			return
		}
		x := d.value(v, d.byte(), depth)
		if d.err == nil {
			t.Set(k, x)
		}
	}
}

func (d *decoder) value(v *vm, tag byte, depth int) rt.Value {
	switch tag {
	case tagFalse, tagTrue:
		return rt.BoolValue(tag == tagTrue)
	case tagInt:
		return rt.IntValue(d.varint())
	case tagFloat:
		if b := d.bytes(8); b != nil {
			return rt.FloatValue(math.Float64frombits(binary.LittleEndian.Uint64(b)))
		}
	case tagString:
		return rt.StringValue(d.text())
	case tagPlayer:
		if id := d.byte(); id < game.MaxPlayers && d.err == nil {
			return v.players[id]
		}
	case tagTable:
		t := rt.NewTable()
		d.table(v, t, depth+1)
		return rt.TableValue(t)
	}
	d.fail()
	return rt.NilValue
}

// clearTable removes all fields of a table.
func clearTable(t *rt.Table) {
	var keys []rt.Value
	each(t, func(k, _ rt.Value) { keys = append(keys, k) })
	for _, k := range keys {
		t.Set(k, rt.NilValue)
	}
}
