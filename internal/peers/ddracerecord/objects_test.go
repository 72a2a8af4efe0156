//go:build peers

package ddracerecord

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/peers"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/snapshot"
	"github.com/teeyard/teeyard/transport"
)

// Rows of the parcours. They are corridors one below the other, and each leads into the next.
const (
	parcoursRows = 5
	rowHeight    = height / parcoursRows
)

// parcours returns a map in which tees that run to the right meet all DDRace objects that clients
// see.
func parcours() []byte {
	m := &maker{Rand: rand.New(rand.NewPCG(1, 1)), game: twmap.NewGameLayer(width, height), front: twmap.NewGameLayer(width, height)}
	m.tele, m.speedup, m.switches, m.tune = make([]byte, 2*width*height), make([]byte, 6*width*height), make([]byte, 4*width*height),
		make([]byte, 2*width*height)
	m.game.Fill(0, 0, width, height, twmap.Solid)
	ground := func(row int) int { return (row+1)*rowHeight - 2 }
	column := func(row, x int, put func(x, y int)) { // a column of tiles as high as the corridor
		for y := ground(row) - 3; y <= ground(row); y++ {
			put(x, y)
		}
	}
	tile := func(row, x int, index uint8) { column(row, x, func(x, y int) { m.game.Set(x, y, index, 0) }) }
	switchTile := func(row, x int, index, number, delay uint8) {
		column(row, x, func(x, y int) { copy(m.switches[4*m.at(x, y):], []byte{number, index, 0, delay}) })
	}
	entity := func(row, x, above int, e, number uint8) {
		if number == 0 {
			m.game.Set(x, ground(row)-above, twmap.EntityOffset+e, 0)
			return
		}
		copy(m.switches[4*m.at(x, ground(row)-above):], []byte{number, twmap.EntityOffset + e, 0, 0})
	}
	for row := range parcoursRows {
		m.game.Fill(1, ground(row)-3, width-2, 4, twmap.Air)
		if number := byte(row + 1); row < parcoursRows-1 {
			column(row, width-3, func(x, y int) { copy(m.tele[2*m.at(x, y):], []byte{number, 26}) })
			copy(m.tele[2*m.at(2, ground(row+1)):], []byte{number, 27})
		}
	}
	for _, row := range []int{0, 3} {
		m.game.Set(4, ground(row), twmap.Spawn, 0)
		m.game.Set(7, ground(row), twmap.Spawn, 0)
	}
	for x, index := range map[int]uint8{9: 33, 14: 9, 20: 106, 30: 90, 34: 17, 40: 18} {
		tile(0, x, index)
	}
	column(0, 14, func(x, y int) { copy(m.speedup[6*m.at(x, y):], []byte{6, 50, 28, 0, 0, 0}) }) // pushes tees on
	tile(1, 4, 21)
	tile(1, 11, 22)
	for x := 14; x < 18; x++ {
		switchTile(1, x, 23, 1, 2)
	}
	entity(1, 20, 0, 49, 1) // a door
	entity(1, 20, 1, 19, 1)
	entity(1, 24, 3, 43, 1) // a dragger
	entity(1, 26, 3, 13, 2) // a light with its length
	entity(1, 27, 3, 19, 2)
	entity(1, 30, 3, 32, 1) // a turret
	entity(1, 34, 2, 34, 0) // crazy bullets
	entity(1, 36, 2, 33, 2)
	entity(1, 38, 0, 7, 2) // a pickup that freezes
	switchTile(1, 42, 25, 2, 0)
	for x, e := range map[int]uint8{4: 8, 6: 9, 8: 11, 14: 10, 32: 36, 36: 6} {
		for above := range 3 {
			entity(2, x, above, e, 0)
		}
	}
	switchTile(3, 10, 7, 0, 5)
	for x, index := range map[int]uint8{12: 105, 15: 89, 16: 19, 18: 20, 19: 88, 23: 104, 25: 91, 30: 107, 41: 144, 42: 145} {
		tile(3, x, index)
	}
	for x := 33; x < 39; x++ {
		column(3, x, func(x, y int) { copy(m.tune[2*m.at(x, y):], []byte{1, 68}) })
	}
	for x, index := range map[int]uint8{5: 12, 6: 13, 12: 35, 22: 32, 24: 16, 30: 34, 44: twmap.Death} {
		tile(4, x, index)
	}
	column(4, 14, func(x, y int) { copy(m.tele[2*m.at(x, y):], []byte{5, 29}) })
	column(4, 17, func(x, y int) { copy(m.speedup[6*m.at(x, y):], []byte{10, 100, 28, 0, 0, 0}) })
	column(4, 20, func(x, y int) { m.game.Set(x, y, 60, 8) })
	return m.bytes([]string{"sv_freeze_delay 1", "tune_zone 1 gravity 0.2", "tune_zone 1 gun_speed 700"})
}

// onlooker is a client that follows a script tick by tick and records the items that the server
// shows it.
type onlooker struct {
	*client.Session
	t        *testing.T
	version  client.Version
	received chan []byte
	sentTick int32
	begin    int32 // tick in which the script begins; 0 until it is known
	script   []game.Input
	late     int
	resting  int // number of snapshots in which no tee moved
	places   string
	shown    map[int32]map[string]string // by tick of the script: each item or field, with its count or value

	registry msg6.TypeRegistry
	objects6 msg6.ObjectDecoder
	objects7 msg7.ObjectDecoder
}

func monotonic() conn.Time { return conn.Time(transport.Monotonic()) }

func newOnlooker(t *testing.T, s *peers.Server, i int, version client.Version) *onlooker {
	o := &onlooker{t: t, version: version, received: make(chan []byte, 1000), shown: map[int32]map[string]string{}}
	socket := peers.DialUDP(t, byte(10+i), s.Addr, func(b []byte) { o.received <- b })
	cfg := client.SessionConfig{
		Name: fmt.Sprint("onlooker ", i), Version: version, ManualInput: true,
		Send: func(b []byte) { socket.Write(b) }, HasMap: func(*bridge.MapChange) bool { return true },
		OnSnapshot: o.onSnapshot, OnInputTiming: o.onInputTiming,
	}
	cfg.Skin.PartNames = [game.NumSkinParts]string{"standard", "", "", "standard", "standard", "standard"}
	if version == client.Version06 {
		cfg.DDNetVersion = 16040
	}
	var err error
	if o.Session, err = client.NewSession(cfg); err == nil {
		err = o.Dial(monotonic())
	}
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// inputLead is how many ticks ahead of its tick an input is sent, so that it arrives in time on a
// busy machine.
const inputLead = 50

func (o *onlooker) onInputTiming(tick, left int32) {
	if o.begin != 0 && tick >= o.begin && left < 0 {
		o.late++
	}
}

func (o *onlooker) onSnapshot(tick int32, s *snapshot.Snapshot) {
	for t := max(o.sentTick, tick) + 1; t <= tick+inputLead; t++ {
		in := game.Input{TargetX: 1}
		if at := int(t - o.begin); o.begin != 0 && at >= 0 && at < len(o.script) {
			in = o.script[at]
		}
		o.SendInput(monotonic(), t, in)
		o.sentTick = t
	}
	items := o.describe(tick, s)
	if o.begin != 0 && tick >= o.begin {
		o.shown[tick-o.begin] = items
		return
	}
	var places []string
	for key, value := range items {
		if strings.HasPrefix(key, "Character") && (strings.HasSuffix(key, " X") || strings.HasSuffix(key, " Y")) {
			places = append(places, key+value)
		}
	}
	slices.Sort(places)
	if now := strings.Join(places, " "); now != o.places {
		o.places, o.resting = now, 0
	}
	o.resting++
}

// step makes the client do everything that is due.
func (o *onlooker) step() {
	for len(o.received) > 0 {
		o.Feed(monotonic(), <-o.received)
	}
	o.Step(monotonic())
}

// relativeTicks are the fields that hold a tick.
var relativeTicks = map[string]bool{
	"AttackTick": true, "FreezeStart": true, "FreezeEnd": true, "NinjaActivationTick": true, "EndTicks": true, "WarmupTimer": true, "Ammo": true,
}

// uncompared are fields that differ or depend on the moment, by item name; see
// docs/reference/ddrace.md.
var uncompared = map[client.Version]map[string][]string{
	client.Version06: {
		"PlayerInfo": {"Latency"}, "GameInfo": {"RoundStartTick"}, "Character": {"Tick", "PlayerFlags"}, "DamageInd": {"Angle"}, "DDRaceProjectile": {"Angle"},
	},
	client.Version07: {
		"PlayerInfo": {"Latency"}, "Character": {"Tick", "TriggeredEvents"}, "Laser": {"StartTick"}, "GameData": {"StartTick"}, "GameDataRace": {"BestTime"},
	},
}

// perPlayer are the items whose fields are compared one by one. The ids of all other items have no
// meaning.
var perPlayer = map[string]bool{
	"Character": true, "PlayerInfo": true, "DDNetCharacter": true, "DDNetPlayer": true, "SpectatorInfo": true, "SpecChar": true, "PlayerInfoRace": true,
	"SwitchState": true, "GameInfo": true, "GameInfoEx": true, "GameData": true, "GameDataRace": true,
}

// extendable are the items that an EntityEx item with the same id can extend.
var extendable = map[string]bool{"Laser": true, "Pickup": true, "Projectile": true, "DDRaceProjectile": true, "DDNetLaser": true}

// describe returns the items of a snapshot. For items in perPlayer it gives the values of the
// fields, for all others their number.
func (o *onlooker) describe(tick int32, s *snapshot.Snapshot) map[string]string {
	o.registry.Reset()
	type item struct {
		name   string
		id     int
		fields []string
	}
	var items []item
	entities := map[int]string{}
	for i := range s.Len() {
		k, ints := s.Item(i)
		if o.version == client.Version06 && k.Type() == msg6.TypeEx {
			o.registry.AddEx(k.ID(), ints)
			continue
		}
		it := item{id: k.ID()}
		var object any
		var err error
		if typ := k.Type(); o.version == client.Version06 {
			typ = o.registry.Type(typ)
			it.name = msg6.ObjectName(typ)
			object, err = o.objects6.Decode(typ, ints)
		} else {
			it.name = msg7.ObjectName(typ)
			object, err = o.objects7.Decode(typ, ints)
		}
		if err != nil || it.name == "ClientInfo" {
			continue // a profile, or an item unknown to such clients
		}
		if it.name == "Damage" || it.name == "SoundWorld" && o.version == client.Version07 {
			continue // 0.7 numbers its stars, and sends movement sounds in TriggeredEvents
		}
		if ex, ok := object.(*msg6.EntityEx); ok {
			entities[it.id] = fmt.Sprintf(" (entity %d, switch %d, layer %d)", ex.EntityClass, ex.SwitchNumber, ex.Layer)
			continue
		}
		o.addFields(tick, it.name, reflect.ValueOf(object).Elem(), &it.fields)
		items = append(items, it)
	}
	shown := map[string]string{}
	counts := map[string]int{}
	for _, it := range items {
		if !perPlayer[it.name] {
			key := it.name + " " + strings.Join(it.fields, " ")
			if extendable[it.name] {
				key += entities[it.id]
			}
			counts[key]++
			shown[key] = fmt.Sprint(counts[key])
			continue
		}
		for _, f := range it.fields {
			name, value, _ := strings.Cut(f, "=")
			shown[fmt.Sprintf("%s %d %s", it.name, it.id, name)] = value
		}
	}
	return shown
}

// addFields appends the compared fields of an item to list.
func (o *onlooker) addFields(tick int32, item string, v reflect.Value, list *[]string) {
	for i := range v.NumField() {
		name, f := v.Type().Field(i).Name, v.Field(i)
		switch {
		case f.Kind() == reflect.Struct:
			o.addFields(tick, item, f, list)
		case slices.Contains(uncompared[o.version][item], name):
		case f.Kind() == reflect.Array:
			for j := range f.Len() {
				*list = append(*list, fmt.Sprintf("%s%d=%s", name, j, o.value(tick, name, f.Index(j).Int())))
			}
		default:
			*list = append(*list, name+"="+o.value(tick, name, f.Int()))
		}
	}
}

// value returns a field's value for the comparison. Ticks become relative, since the servers start
// at different times.
func (o *onlooker) value(tick int32, name string, n int64) string {
	begin := int64(o.begin)
	switch {
	case name == "StartTick":
		return fmt.Sprint(int64(tick)-n, " ticks ago")
	case !relativeTicks[name] || begin == 0:
		return fmt.Sprint(n)
	case n < -1: // during warmup the field holds a negative tick
		return fmt.Sprint("minus ", -n-begin)
	case n < begin/2:
		return fmt.Sprint(n) // no tick
	case n < begin:
		return "before"
	}
	return fmt.Sprint("+", n-begin)
}

// scriptOf returns the inputs of player i, who runs to the right and does other things on the way.
func scriptOf(i, ticks int) []game.Input {
	script := make([]game.Input, ticks)
	for t := range script {
		in, phase := &script[t], t+23*i
		x, y := math.Sincos(float64(phase) / 15)
		*in = game.Input{
			Direction: 1, TargetX: int32(200 * x), TargetY: int32(200 * y), Jump: phase%37 < 3, Hook: phase%70 < 20,
			Fire: int32(phase / 8 & 63), WantedWeapon: int32(1 + phase/45%5),
		}
		if phase%190 > 180 {
			in.Direction = int32(i%2 - 1)
		}
	}
	return script
}

// beginTick is the tick in which the scripts begin. In it all moving objects are in the same places
// on both servers.
const beginTick = 500

// watch makes four clients play their scripts on each of two servers. ok is false if the machine
// was too slow.
func watch(t *testing.T, servers [2]*peers.Server, ticks int) (all [2][]*onlooker, ok bool) {
	run := func(what string, timeout time.Duration, done func(o *onlooker) bool) {
		t.Helper()
		for end := time.Now().Add(timeout); ; time.Sleep(2 * time.Millisecond) {
			waiting := false
			for _, o := range slices.Concat(all[0], all[1]) {
				if o.step(); o.State() == client.Offline {
					t.Fatalf("%s: %v", what, o.Err())
				}
				waiting = waiting || !done(o)
			}
			if !waiting {
				return
			}
			if time.Now().After(end) {
				t.Fatalf("not in time: %s", what)
			}
		}
	}
	for i, version := range []client.Version{client.Version06, client.Version07, client.Version06, client.Version07} {
		for k, s := range servers {
			all[k] = append(all[k], newOnlooker(t, s, 4*k+i, version))
		}
		run("joined", 20*time.Second, func(o *onlooker) bool { return o.resting > 5 })
	}
	run("nobody moves", 20*time.Second, func(o *onlooker) bool { return o.resting > 20 })
	for k := range all {
		for i, o := range all[k] {
			if _, tick := o.NewestSnapshot(); tick+inputLead+10 > beginTick {
				return all, false
			}
			o.script, o.begin = scriptOf(i, ticks), beginTick
		}
	}
	run("the scripts end", time.Minute, func(o *onlooker) bool {
		_, tick := o.NewestSnapshot()
		return tick > o.begin+int32(ticks)
	})
	return all, !slices.ContainsFunc(slices.Concat(all[0], all[1]), func(o *onlooker) bool {
		o.Close(monotonic())
		return o.late > 0
	})
}

// TestObjects runs clients of 0.6 and 0.7 along the same ways on both servers. The servers must
// show them the same items, apart from the differences in docs/reference/ddrace.md.
func TestObjects(t *testing.T) {
	peers.RequirePrograms(t, "DDNet-Server")
	const ticks, tries = 700, 3
	home := t.TempDir()
	data := filepath.Join(home, ".local", "share", "ddnet")
	for _, folder := range []string{filepath.Join(data, "maps"), filepath.Join(data, "maps7"), filepath.Join(home, "maps")} {
		peers.WriteFile(t, filepath.Join(folder, "parcours.map"), parcours())
	}
	peers.WriteFile(t, filepath.Join(data, "autoexec_server.cfg"), nil)
	program := peers.Program(t)
	var theirs, ours []*onlooker
	for try := 1; theirs == nil; try++ {
		addr := peers.FreeAddr(t)
		p := peers.Start(t, home, []string{"HOME=" + home, "XDG_DATA_HOME="}, program, "serve", "sv_bots 0", "bindaddr 127.0.0.1",
			fmt.Sprintf("sv_port %d", addr.Port()), "sv_register 0; sv_max_clients_per_ip 64; sv_map parcours") // no client has been there before
		servers := [2]*peers.Server{peers.StartDDNetIn(t, home, "sv_map parcours; sv_test_cmds 0"), {Process: p, Addr: addr}}
		switch all, ok := watch(t, servers, ticks); {
		case ok:
			theirs, ours = all[0], all[1]
		case try == tries:
			t.Fatal("the machine is too busy: inputs came late")
		}
		servers[0].Stop()
		p.Stop()
	}
	compared, reported, last := 0, map[string]bool{}, map[string]string{}
	for i := range ours {
		known := map[string]bool{}
		for tick := range int32(ticks) {
			a, b := theirs[i].shown[tick], ours[i].shown[tick]
			if a == nil || b == nil || tick > 1 && (theirs[i].shown[tick-2] == nil) != (ours[i].shown[tick-2] == nil) {
				continue // the events of a snapshot are those since the one before
			}
			if _, alive := a[fmt.Sprintf("Character %d X", i)]; !alive && ours[i].version == client.Version07 {
				continue // to 0.7, DDNet-Server shows the switches of the tee's team
			}
			compared++
			spawns := slices.ContainsFunc(slices.Collect(maps.Keys(a)), func(k string) bool { return strings.HasPrefix(k, "Spawn ") })
			all := maps.Clone(a)
			maps.Copy(all, b)
			for k := range all {
				item := strings.Fields(k)[0]
				if spawns && (strings.HasSuffix(k, " Direction") || strings.HasSuffix(k, " StrongWeakID")) {
					continue // DDNet-Server reorders tees in the next tick
				}
				// DDNet-Server omits items of a kind of its own from the first snapshot with that
				// kind.
				if kind := fmt.Sprint(i, " ", item); a[k] != b[k] && known[item] && !reported[kind] {
					reported[kind] = true
					t.Errorf("client %d of %s, tick %d: %s: %q there, %q here", i, ours[i].version, tick, k, a[k], b[k])
				}
			}
			for k, v := range a {
				item := strings.Fields(k)[0]
				known[item] = true
				last[fmt.Sprint(ours[i].version, " ", item)] = v
			}
		}
	}
	t.Logf("%d snapshots with items of %d kinds", compared, len(last))
	if compared < 4*ticks/2-40 || len(last) < 24 {
		t.Errorf("%d snapshots with items of %d kinds: %v", compared, len(last), slices.Sorted(maps.Keys(last)))
	}
}
