package game

import (
	"encoding/binary"
	"reflect"
)

// A layout maps the bytes of the state of a mode or mod to those that it had in worlds with
// fewPlayers: arrays of MaxPlayers elements had fewPlayers, a PlayerMask had its lower half, and a
// PlayerID had one byte.
type layout struct {
	spans []span // ascending
	size  int    // bytes in a world with fewPlayers
}

// span is a part of the bytes that is the same in both forms.
type span struct {
	at, n  int
	signed bool // one byte, the sign of which fills the next one
}

// layout returns the layout of a state, or nil if the number of players does not change it.
func (d *declared) layout(state any) *layout {
	v := reflect.Indirect(reflect.ValueOf(state))
	l, ok := d.layouts[v.Type()]
	if !ok || v.Kind() == reflect.Slice {
		l = &layout{}
		size := 0
		if v.Kind() == reflect.Slice {
			for range v.Len() {
				size = l.add(v.Type().Elem(), size)
			}
		} else {
			size = l.add(v.Type(), 0)
		}
		if l.size == size {
			l = nil
		}
		if d.layouts == nil {
			d.layouts = make(map[reflect.Type]*layout)
		}
		d.layouts[v.Type()] = l
	}
	return l
}

var (
	maskType = reflect.TypeFor[PlayerMask]()
	idType   = reflect.TypeFor[PlayerID]()
)

// add adds a value of a type at a place. It returns the place of what follows.
func (l *layout) add(t reflect.Type, at int) (next int) {
	switch {
	case t == maskType:
		l.keep(span{at: at, n: fewPlayers / 8})
		return at + MaxPlayers/8
	case t == idType:
		l.spans = append(l.spans, span{at: at, n: 1, signed: true})
		l.size++
		return at + 2
	case t.Kind() == reflect.Array:
		for i := range t.Len() {
			if t.Len() == MaxPlayers && i == fewPlayers {
				return at + (MaxPlayers-fewPlayers)*binary.Size(reflect.Zero(t.Elem()).Interface())
			}
			at = l.add(t.Elem(), at)
		}
		return at
	case t.Kind() == reflect.Struct:
		for i := range t.NumField() {
			at = l.add(t.Field(i).Type, at)
		}
		return at
	}
	n := int(t.Size()) // a number or bool
	l.keep(span{at: at, n: n})
	return at + n
}

func (l *layout) keep(s span) {
	l.size += s.n
	if n := len(l.spans); n > 0 && !l.spans[n-1].signed && l.spans[n-1].at+l.spans[n-1].n == s.at {
		l.spans[n-1].n += s.n
		return
	}
	l.spans = append(l.spans, s)
}

// shrink turns the bytes of a state into those for fewPlayers.
func (l *layout) shrink(b []byte) []byte {
	n := 0
	for _, s := range l.spans {
		n += copy(b[n:], b[s.at:s.at+s.n])
	}
	return b[:n]
}

// expand turns the bytes for fewPlayers into those of a state, which are zero before.
func (l *layout) expand(b, few []byte) {
	for _, s := range l.spans {
		few = few[copy(b[s.at:s.at+s.n], few):]
		if s.signed && b[s.at] >= 0x80 {
			b[s.at+1] = 0xff
		}
	}
}
