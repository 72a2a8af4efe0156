package annotate

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"github.com/teeyard/teeyard/protocol/message/schema"
)

// HalfLife explains a datagram of Half-Life's queries, rcon and masters.
func HalfLife(b []byte) []Line {
	e := &explainer{rest: b}
	if len(b) < 5 || string(b[:4]) != "\xff\xff\xff\xff" {
		e.take(len(b), "a request without FF × 4, to a master: %q", text(b))
		return e.lines
	}
	e.take(4, "FF × 4")
	switch kind := e.rest[0]; kind {
	case 'C', 'm':
		e.take(1, "%q: the answer to %s", kind, map[byte]string{'C': "info", 'm': "details"}[kind])
		for _, name := range []string{"address", "name of the server", "map", "folder of the game", "game"} {
			e.string(name)
		}
		for _, name := range []string{"players", "places for players", "protocol"} {
			e.byte(name)
		}
		if kind == 'm' {
			e.details()
		}
	case 'D':
		e.take(1, "'D': the players")
		for n := e.byte("players"); n > 0 && len(e.rest) > 0; n-- {
			e.byte("index")
			e.string("name")
			e.int32("score")
			v := e.rest[:min(4, len(e.rest))]
			if len(v) == 4 {
				e.take(4, "seconds in the game: %.1f", math.Float32frombits(binary.LittleEndian.Uint32(v)))
			}
		}
	case 'E':
		e.take(1, "'E': the rules")
		if len(e.rest) < 2 {
			break
		}
		n := binary.LittleEndian.Uint16(e.rest)
		for e.take(2, "rules: %d", n); n > 0 && e.err == nil; n-- {
			e.string("name")
			e.string("value")
		}
	case 'l':
		e.take(1, "'l': output of rcon")
		e.take(len(e.rest), "%q and two NULs", strings.TrimRight(string(e.rest), "\x00"))
	case '9':
		e.take(1, "'9': the challenge is not valid")
		e.take(len(e.rest), "%q", text(e.rest))
	case 'f':
		e.take(1, "'f': a list of servers")
		e.take(1, "separator")
		if (len(e.rest)-4)%6 == 0 {
			e.int32("id for the next request, 0 at the end")
		}
		for len(e.rest) >= 6 {
			a := e.rest
			e.take(6, "%d.%d.%d.%d:%d; the port is big endian", a[0], a[1], a[2], a[3], binary.BigEndian.Uint16(a[4:]))
		}
	default:
		e.take(len(e.rest), "%q", text(e.rest))
	}
	e.take(len(e.rest), "more")
	return e.lines
}

// details explains the end of the answer to details.
func (e *explainer) details() {
	e.take(1, "type: %q, d is a dedicated server", e.rest[:1])
	e.take(1, "system: %q, l is Linux, w is Windows", e.rest[:1])
	e.byte("password")
	if e.byte("a mod: 1 if the fields of a mod follow") == 1 {
		e.string("address of a page")
		e.string("address of a download")
		e.string("unused, always empty")
		e.int32("version")
		e.int32("size")
		e.byte("only on the server")
		e.byte("own client library")
	}
	e.byte("secure")
	if len(e.rest) > 0 {
		e.byte("bots")
	}
}

func (e *explainer) byte(name string) int {
	if len(e.rest) == 0 {
		return 0
	}
	v := e.rest[0]
	e.take(1, "%s: %d", name, v)
	return int(v)
}

// int32 explains a little endian integer.
func (e *explainer) int32(name string) {
	if len(e.rest) >= 4 {
		v := int32(binary.LittleEndian.Uint32(e.rest))
		e.take(4, "%s: %d", name, v)
	}
}

func text(b []byte) string { return strings.TrimRight(string(b), "\x00") }

// Sizes returns the number of integers of each snapshot object of a version, "msg6" or "msg7", as a
// list: type, size and name. Items of the types in it have no size in a delta.
func Sizes(version string) (string, error) {
	s, err := schema.Load(version)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, o := range s.Objects {
		switch {
		case o.Ext != "":
		case o.Dynamic:
			fmt.Fprintf(&b, "%2d  size in the delta  %s\n", o.Type, o.Name)
		default:
			fmt.Fprintf(&b, "%2d %3d  %s\n", o.Type, o.Size, o.Name)
		}
	}
	return b.String(), nil
}
