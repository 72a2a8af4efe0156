package ddrace

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"unsafe"

	"github.com/teeyard/teeyard/internal/testenv"
)

// saver saves a world, or restores one if reading is set.
type saver struct {
	buf     []byte
	reading bool
	err     error
}

func (s *saver) value(n uint64) uint64 {
	if !s.reading {
		s.buf = binary.LittleEndian.AppendUint64(s.buf, n)
		return n
	}
	if len(s.buf) < 8 {
		s.err = errors.New("it ends early")
		return 0
	}
	n = binary.LittleEndian.Uint64(s.buf)
	s.buf = s.buf[8:]
	return n
}

func (s *saver) Restores() bool { return s.reading }
func (s *saver) Tees() int      { return MaxTees }
func (s *saver) Int32s(list []int32) {
	for i := range list {
		s.Int32(&list[i])
	}
}
func (s *saver) Int32(p *int32)   { *p = int32(s.value(uint64(*p))) }
func (s *saver) Int8(p *int8)     { *p = int8(s.value(uint64(*p))) }
func (s *saver) Uint8(p *uint8)   { *p = uint8(s.value(uint64(*p))) }
func (s *saver) Uint64(p *uint64) { *p = s.value(*p) }
func (s *saver) Float(p *float32) {
	*p = math.Float32frombits(uint32(s.value(uint64(math.Float32bits(*p)))))
}
func (s *saver) Vec(p *Vec)              { s.Float(&p.X); s.Float(&p.Y) }
func (s *saver) Length(n, limit int) int { return int(min(s.value(uint64(n)), uint64(limit))) }
func (s *saver) Bool(p *bool) {
	var n uint64
	if *p {
		n = 1
	}
	*p = s.value(n) != 0
}
func (s *saver) Within(what string, n, lo, hi int32) {
	if n < lo || n > hi {
		s.err = fmt.Errorf("%s %d, not within %d to %d", what, n, lo, hi)
	}
}

func save(t testing.TB, w *World) []byte {
	var s saver
	w.Visit(&s)
	testenv.NoError(t, s.err)
	return s.buf
}

// TestRestoredWorldGoesOn checks that a restored world develops as the saved one.
func TestRestoredWorldGoesOn(t *testing.T) {
	m := arena(t, 4)
	p := newPlay(m, 12)
	for range 4 {
		for range 150 {
			p.step()
		}
		p.armed()
		other := &play{w: New(Config{Map: m}), rand: p.rand, inputs: append([]PlayerInput(nil), p.inputs...)}
		s := saver{buf: save(t, p.w), reading: true}
		other.w.Visit(&s)
		testenv.NoError(t, s.err)
		testenv.Check(t, len(s.buf) == 0, "%d bytes are left", len(s.buf))
		for range 150 {
			p.step()
			other.step()
		}
		testenv.Require(t, bytes.Equal(save(t, p.w), save(t, other.w)), "tick %d: the restored world differs", p.w.tick)
	}
}

// notVisited are the fields that Visit omits, with the reason.
var notVisited = map[string]string{
	"looks": "counted within a step", "hooking": "counted within a step", "limits": "of the events of a step", "exit": "used within a step",
	"endBeams": "used within a step", "m": "from the config", "rules": "from the config", "settings.ZoneEnter": "texts", "settings.ZoneLeave": "texts",
	"players20.own.tee": "only with one that is set, as tees", "players20.tele.tee": "as players20.own.tee",
	"players20.death.tee": "as players20.own.tee", "players20.own.freezeAge": "only with one that is set",
	"players20.tele.freezeAge": "only with one that is set", "players20.death.freezeAge": "only with one that is set",
	"players.rescue.freezeAge": "only with one that is set", "players.rescue.tee": "only with one that is set, as tees",
	"tees.id": "its index", "tees.aim": "a cache", "order.next": "used within a step", "order.ids": "some are behind the end", "ids": "from order",
	"numIDs": "from order", "switches.count": "from the map", "switches.preset": "from the settings", "switches.timed": "from the timers",
	"tuning": "from the settings", "events": "of the last step", "taken": "whether the events were returned", "way": "used within a step",
	"doorEnds": "from the map", "entities.pickups.ID": "of copies",
	"entities.shots": "from the beams", "entities.fixtures": "from the map", "entities.pickups.Kind": "from the map",
	"entities.draggers.Strength":     "from the map",
	"entities.draggers.ThroughWalls": "from the map", "entities.turrets.Explosive": "from the map", "entities.turrets.Freezing": "from the map",
}

// TestEveryFieldIsVisited changes every field of a world, one after the other, and lists the fields
// that Visit omits.
func TestEveryFieldIsVisited(t *testing.T) {
	p := newPlay(arena(t, 4), 4)
	e := &p.w.entities
	for p.w.tick < 5000 && (len(e.projectiles) == 0 || len(e.beams) < 2 || p.w.order.count < 4) {
		if p.step(); p.w.tick%50 == 0 {
			p.armed()
		}
	}
	testenv.Require(t, len(e.projectiles) > 0 && len(e.beams) > 0 && len(e.lights) > 0 && len(e.draggers) > 0 && len(e.turrets) > 0,
		"the world lacks something")
	p.w.settings.Release = 20 // it has the most
	before := save(t, p.w)
	fields := 0
	visit := func(path string, v reflect.Value) {
		fields++
		v = reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem()
		old := reflect.New(v.Type()).Elem()
		old.Set(v)
		switch {
		case v.CanInt():
			v.SetInt(v.Int() ^ 1)
		case v.CanUint():
			v.SetUint(v.Uint() ^ 1)
		case v.CanFloat():
			v.SetFloat(v.Float() + 1)
		case v.Kind() == reflect.Bool:
			v.SetBool(!v.Bool())
		default:
			t.Errorf("World.%s is of a kind that this test does not know: %v", path, v.Kind())
		}
		var s saver
		p.w.Visit(&s)
		testenv.Check(t, !bytes.Equal(s.buf, before), "World.%s is not visited: do so in state.go, or say in notVisited why not", path)
		v.Set(old)
	}
	var walk func(path string, v reflect.Value)
	walk = func(path string, v reflect.Value) {
		if notVisited[path] != "" || strings.HasSuffix(path, ".carried.Layer") || strings.HasSuffix(path, ".carried.Number") {
			return // those of entities are from the map
		}
		switch v.Kind() {
		case reflect.Struct:
			for i := range v.NumField() {
				walk(strings.TrimPrefix(path+"."+v.Type().Field(i).Name, "."), v.Field(i))
			}
		case reflect.Array, reflect.Slice:
			for i := range min(v.Len(), 2) {
				walk(path, v.Index(i))
			}
		default:
			visit(path, v)
		}
	}
	walk("", reflect.ValueOf(p.w).Elem())
	testenv.Check(t, fields > 300, "only %d fields were found", fields)
}

// TestBadState changes or cuts off any byte of a state. Restoring must fail, or the world must run.
func TestBadState(t *testing.T) {
	m := arena(t, 4)
	p := newPlay(m, 3)
	for range 200 {
		p.step()
	}
	state := save(t, p.w)
	p.rand = 9
	failed := 0
	for range 300 {
		b := bytes.Clone(state)
		for range 3 {
			b[p.rand.Intn(len(b))] = byte(p.rand.Next())
		}
		s := saver{buf: b[:len(b)-p.rand.Intn(2)*p.rand.Intn(len(b))], reading: true}
		w := New(Config{Map: m})
		if w.Visit(&s); s.err != nil {
			failed++
			continue
		}
		for range 20 {
			w.Step(p.inputs)
		}
	}
	testenv.Check(t, failed > 50 && failed < 290, "%d of 300 failed", failed)
}
