package peers

import (
	"cmp"
	"errors"
	"fmt"
	"hash/crc32"
	"net"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/snapshot"
	"github.com/teeyard/teeyard/transport"
)

// A step of the tour is over when nobody was told anything for so long: in time,
// in snapshots and in ticks. Any one of them can pass on a busy machine without the
// server having looked at its socket.
const (
	quietTime      = 300 * time.Millisecond
	quietSnapshots = 8
	quietTicks     = 16
)

// patience is how long the tour waits for something that a step is to bring. What
// never comes is in the transcript.
const patience = 8 * time.Second

// awaitedInVain ends the line about a step that did not bring what it was to.
const awaitedInVain = ": what is to come of it does not"

// witness is a player of the tour, who writes down what he is told.
type witness struct {
	*client.Session
	name   string
	t      *testing.T
	lines  []string            // of this step
	lists  map[string][]string // of commands and maps, at the first login
	effect map[string]int      // events in the snapshots of this step
	world  map[string]int      // objects in the snapshot at the end of the last step
	input  game.Input
	dec    msg7.ObjectDecoder
	read   msg7.Decoder

	team    msg7.Team
	playing bool // since before this step
	told    bool // that the connection is over
	mark    int  // snapshots as of the last message
	tick    int32
	last    time.Time
}

// tour is one walk through a server. Its transcript is in the order of steps, and
// within a step in that of players.
type tour struct {
	t       *testing.T
	server  transport.Peer
	players []*witness
	arrived chan arrival
	done    chan struct{}
	out     []string
}

type arrival struct {
	w *witness
	b []byte
}

func now() conn.Time { return conn.Time(transport.Monotonic()) }

// visitor says who joins, from which of the addresses 127.0.0.x.
type visitor struct {
	name, password string
	host           byte
	hasMap         bool
}

// join adds a player.
func (r *tour) join(v visitor) *witness {
	r.t.Helper()
	from := &net.UDPAddr{IP: net.IPv4(127, 0, 0, v.host)}
	socket, err := net.DialUDP("udp", from, net.UDPAddrFromAddrPort(r.server.AddrPort))
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { socket.Close() })
	w := &witness{name: v.name, t: r.t, lists: map[string][]string{}, effect: map[string]int{}, world: map[string]int{}, last: time.Now()}
	w.Session, err = client.NewSession(client.SessionConfig{
		Name: v.name, Clan: "yard", Country: 276, Skin: look("standard", 0), Password: v.password,
		Send:       func(b []byte) { socket.Write(b) },
		HasMap:     func(*bridge.MapChange) bool { return v.hasMap },
		OnMessage:  w.note,
		OnSnapshot: w.see,
	})
	if err != nil {
		r.t.Fatal(err)
	}
	go func() {
		buf := make([]byte, 2048)
		for {
			n, err := socket.Read(buf)
			if errors.Is(err, net.ErrClosed) {
				return
			} else if err != nil {
				continue // what we sent came too late; its goodbye may wait to be read
			}
			select {
			case r.arrived <- arrival{w, slices.Clone(buf[:n])}:
			case <-r.done:
				return
			}
		}
	}()
	if err := w.Dial(now()); err != nil {
		r.t.Fatal(err)
	}
	r.players = append(r.players, w)
	return w
}

// look is a skin.
func look(body string, colour int32) game.Skin {
	var s game.Skin
	for i, part := range []string{body, "", "", "standard", "standard", "standard"} {
		s.PartNames[i], s.UseCustomColors[i], s.PartColors[i] = part, colour != 0, colour
	}
	return s
}

// ask sends a message.
func (w *witness) ask(m msg7.Message) {
	if err := w.SendMessage(now(), m.Append(nil)); err != nil {
		w.t.Fatalf("%s: %v", w.name, err)
	}
}

// do changes the input.
func (w *witness) do(change func(in *game.Input)) {
	change(&w.input)
	w.SetInput(w.input)
}

// note writes down a message. What is not vital is snapshots and timing.
func (w *witness) note(payload []byte, vital bool) {
	if !vital {
		return
	}
	w.stir()
	m, err := w.read.Decode(payload)
	if err != nil {
		w.t.Errorf("%s: %v", w.name, err)
		return
	}
	switch m := m.(type) {
	case *msg7.SvClientInfo:
		if m.Local {
			w.team = m.Team
		}
	case *msg7.SvTeam:
		if int(m.ClientID) == w.ID() {
			w.team = m.Team
		}
	}
	w.lines = append(w.lines, describeMessage(m))
}

// stir begins the quiet anew.
func (w *witness) stir() {
	w.mark, w.last = w.Stats().Snapshots, time.Now()
	_, w.tick = w.NewestSnapshot()
}

// waits tells whether the player is dead, and will be back some time later.
func (w *witness) waits(s *snapshot.Snapshot) bool {
	return w.team >= 0 && w.ID() >= 0 && s.Find(snapshot.MakeKey(msg7.TypeCharacter, w.ID())) == nil
}

// quiet tells whether nothing was said for long enough, and nobody was dead.
func (w *witness) quiet() bool {
	if w.State() == client.Offline {
		return true
	}
	_, tick := w.NewestSnapshot()
	return w.State() == client.Playing && time.Since(w.last) >= quietTime &&
		w.Stats().Snapshots >= w.mark+quietSnapshots && tick >= w.tick+quietTicks
}

// heard tells whether a line of this step begins so.
func (w *witness) heard(begin string) func() bool {
	return func() bool {
		return slices.ContainsFunc(w.lines, func(l string) bool { return strings.HasPrefix(l, begin) })
	}
}

// alive tells whether the player has a tee.
func (w *witness) alive() bool {
	s, _ := w.NewestSnapshot()
	return w.State() == client.Playing && w.ID() >= 0 && s.Find(snapshot.MakeKey(msg7.TypeCharacter, w.ID())) != nil
}

// felt tells whether such an event happened in this step.
func (w *witness) felt(event string) func() bool {
	return func() bool { return w.effect["event "+event] > 0 }
}

// shows tells whether the world looks like that.
func (w *witness) shows(object string) func() bool {
	return func() bool {
		if w.State() != client.Playing {
			return false
		}
		s, _ := w.NewestSnapshot()
		return w.objects(s)[object] > 0
	}
}

// pickupIsBack is heard some time after a weapon was taken.
const pickupIsBack = "SoundWorld Sound=29"

// see notes what happens in a snapshot.
func (w *witness) see(_ int32, s *snapshot.Snapshot) {
	if w.waits(s) {
		w.stir()
	}
	for i := range s.Len() {
		k, ints := s.Item(i)
		if k.Type() < msg7.TypeEventCommon || k.Type() > msg7.TypeEventDamage {
			continue
		}
		if e := w.describeObject(k, ints); e != pickupIsBack {
			w.effect["event "+e]++
		}
	}
}

// objects are those of a snapshot that are not over in a moment, and how many of
// each there are.
func (w *witness) objects(s *snapshot.Snapshot) map[string]int {
	all := map[string]int{}
	if s == nil {
		return all
	}
	for i := range s.Len() {
		k, ints := s.Item(i)
		switch typ := k.Type(); {
		case typ >= msg7.TypeEventCommon && typ <= msg7.TypeEventDamage:
		case typ == msg7.TypeProjectile, typ == msg7.TypeLaser: // over by the end of a step or not
		default:
			all[w.describeObject(k, ints)]++
		}
	}
	return all
}

// step does something and writes down what follows from it. Each of until is
// waited for.
func (r *tour) step(name string, do func(), until ...func() bool) {
	r.t.Helper()
	for _, w := range r.players {
		w.playing = w.State() == client.Playing
	}
	do()
	r.settle(name, until)
	for _, w := range slices.Clone(r.players) {
		r.write(name, w)
	}
}

// settle lets time pass until what a step is to bring has come, and it is quiet.
func (r *tour) settle(name string, until []func() bool) {
	r.t.Helper()
	begin := time.Now()
	for _, w := range r.players {
		w.stir()
	}
	timer := time.NewTicker(5 * time.Millisecond)
	defer timer.Stop()
	for waiting := true; ; {
		for _, w := range r.players {
			if w.State() != client.Offline {
				w.Step(now())
			}
		}
		if waiting {
			waiting = slices.ContainsFunc(until, func(f func() bool) bool { return !f() })
			if waiting && time.Since(begin) > patience {
				r.out = append(r.out, name+awaitedInVain)
				waiting = false
			}
			if !waiting {
				for _, w := range r.players {
					w.stir()
				}
			}
		}
		if !waiting && len(r.arrived) == 0 && !slices.ContainsFunc(r.players, func(w *witness) bool { return !w.quiet() }) {
			return
		}
		if time.Since(begin) > 4*patience {
			for _, w := range r.players {
				r.t.Logf("%s: %d, %v, %q", w.name, w.State(), w.Err(), w.lines)
			}
			r.t.Fatalf("%s: it never gets quiet", name)
		}
		select {
		case a := <-r.arrived:
			if a.w.State() != client.Offline {
				a.w.Feed(now(), a.b)
			}
		case <-timer.C:
		}
	}
}

// write adds to the transcript what a player saw in a step.
func (r *tour) write(step string, w *witness) {
	add := func(line string) { r.out = append(r.out, step+", "+w.name+": "+line) }
	came := w.heard("MAP_CHANGE")()
	for _, l := range w.known(inOrder(w.lines)) {
		add(l)
	}
	w.lines = nil
	// Who has just come misses some of what happens while snapshots are rare.
	if w.playing && !came {
		for _, l := range sorted(w.effect) {
			add(fmt.Sprintf("%s x%d", l, w.effect[l]))
		}
	}
	clear(w.effect)
	if w.State() == client.Offline {
		if !w.told {
			w.told = true
			add(fmt.Sprintf("DISCONNECTED %v", mask(fmt.Sprint(w.Err()))))
		}
		r.players = slices.DeleteFunc(r.players, func(o *witness) bool { return o == w })
		return
	}
	s, _ := w.NewestSnapshot()
	world := w.objects(s)
	for _, l := range sorted(world) {
		if strings.HasPrefix(l, "Pickup ") && !came {
			continue // appears again some time after it was taken
		}
		if n := world[l]; n != w.world[l] {
			add(fmt.Sprintf("object %s x%d", l, n))
		}
	}
	for _, l := range sorted(w.world) {
		if world[l] == 0 {
			add("object " + l + " gone")
		}
	}
	w.world = world
}

// await lets time pass until something is so, in the middle of a step.
func (r *tour) await(what func() bool) {
	r.t.Helper()
	for begin := time.Now(); !what() && time.Since(begin) < patience; {
		r.pass(10 * time.Millisecond)
	}
}

// leave lets a player go.
func (r *tour) leave(w *witness) {
	w.Close(now())
	r.players = slices.DeleteFunc(r.players, func(o *witness) bool { return o == w })
}

// pass lets at least so much time pass, for us and for the first player's game.
func (r *tour) pass(span time.Duration) {
	begin, w := time.Now(), r.players[0]
	_, from := w.NewestSnapshot()
	over := func() bool {
		_, tick := w.NewestSnapshot()
		return time.Since(begin) >= span && tick >= from+int32(span/(20*time.Millisecond))
	}
	for !over() {
		if time.Since(begin) > span+4*patience {
			r.t.Fatalf("%s's game stands still: %v", w.name, w.Err())
		}
		for _, w := range r.players {
			w.Step(now())
		}
		select {
		case a := <-r.arrived:
			a.w.Feed(now(), a.b)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func sorted(m map[string]int) []string {
	var all []string
	for l := range m {
		all = append(all, l)
	}
	slices.Sort(all)
	return all
}

// inOrder sorts what comes in no order that means anything: the lists of commands
// and maps, which trickle in beside everything else.
func inOrder(lines []string) []string {
	rank := func(l string) int {
		return 1 + slices.IndexFunc(lists, func(name string) bool { return strings.HasPrefix(l, name) })
	}
	slices.SortStableFunc(lines, func(a, b string) int {
		if c := cmp.Compare(rank(a), rank(b)); c != 0 || rank(a) == 0 {
			return c
		}
		return cmp.Compare(a, b)
	})
	return lines
}

// lists are the names of the messages that make up lists.
var lists = []string{"RCON_CMD_ADD ", "MAPLIST_ENTRY_ADD "}

// known shortens the second list of commands or maps, if it is like the first.
func (w *witness) known(lines []string) []string {
	for _, name := range lists {
		var list, others []string
		for _, l := range lines {
			if strings.HasPrefix(l, name) {
				list = append(list, l)
			} else {
				others = append(others, l)
			}
		}
		switch {
		case len(list) < 2:
		case w.lists[name] == nil:
			w.lists[name] = list
		case slices.Equal(list, w.lists[name]):
			lines = append(others, name+"all as before")
		}
	}
	return lines
}

var volatile = []struct {
	re *regexp.Regexp
	as string
}{
	{regexp.MustCompile(`(127\.0\.0\.\d+):\d+`), "$1:PORT"},
	{regexp.MustCompile(`\d\d:\d\d:\d\d`), "TIME"},
}

// mask hides the ports and times in a text.
func mask(s string) string {
	for _, v := range volatile {
		s = v.re.ReplaceAllString(s, v.as)
	}
	return s
}

// describeMessage is a message in one line: its name and fields, without ticks and
// times. Of map data there is the checksum; of the console's commands not the help,
// which is for people.
func describeMessage(m msg7.Message) string {
	var b strings.Builder
	b.WriteString(m.ID().Name())
	switch m := m.(type) {
	case *msg7.MapData:
		fmt.Fprintf(&b, " bytes=%d crc=%08x", len(m.Data), crc32.ChecksumIEEE(m.Data))
	case *msg7.RconCmdAdd:
		fmt.Fprintf(&b, " %s", strings.TrimSpace(fmt.Sprintf("%s %s", m.Name, m.Params)))
	case *msg7.SvVoteSet:
		fmt.Fprintf(&b, " ClientID=%d Type=%d Timeout=%v Description=%q Reason=%q", m.ClientID, m.Type, m.Timeout != 0, m.Description, m.Reason)
	case *msg7.SvTeam:
		fmt.Fprintf(&b, " ClientID=%d Team=%d Silent=%v Cooldown=%v", m.ClientID, m.Team, m.Silent, m.CooldownTick != 0)
	default:
		fields(&b, "", reflect.ValueOf(m).Elem(), nil)
	}
	return mask(b.String())
}

// moving are the fields of objects that depend on the moment: ticks, latencies, and
// where things are on their way, which the differential tests compare.
var moving = map[string]bool{
	"GameStartTick": true, "GameStateEndTick": true, "Latency": true, "AttackTick": true, "TriggeredEvents": true,
	"DropTickRed": true, "DropTickBlue": true, "Emote": true, "Angle": true,
}

// describeObject is an object in one line.
func (w *witness) describeObject(k snapshot.Key, ints []int32) string {
	var b strings.Builder
	b.WriteString(msg7.ObjectName(k.Type()))
	o, err := w.dec.Decode(k.Type(), ints)
	if err != nil {
		w.t.Errorf("%s: object %d: %v", w.name, k.Type(), err)
		return fmt.Sprint("object of type ", k.Type())
	}
	switch o := o.(type) {
	case *msg7.Pickup:
		fmt.Fprintf(&b, " X=%d Y=%d Type=%d", o.X, o.Y, o.Type)
	case *msg7.GameData:
		fmt.Fprintf(&b, " State=%d Ends=%v", o.StateFlags, o.StateEndTick != 0)
	case *msg7.Character:
		fmt.Fprintf(&b, " %d Health=%d Armor=%d Ammo=%d Weapon=%d", k.ID(), o.Health, o.Armor, o.Ammo, o.Weapon)
	case *msg7.SpectatorInfo:
		fmt.Fprintf(&b, " Mode=%d ID=%d", o.Mode, o.SpectatorID)
	default:
		if k.Type() < msg7.TypeEventCommon || k.Type() > msg7.TypeEventDamage {
			fmt.Fprintf(&b, " %d", k.ID())
			fields(&b, "", reflect.ValueOf(o).Elem(), moving)
			break
		}
		skip := map[string]bool{"X": true, "Y": true, "Angle": true}
		fields(&b, "", reflect.ValueOf(o).Elem(), skip)
	}
	return b.String()
}

// fields writes the fields of a struct, as numbers where they are numbers on the
// wire.
func fields(b *strings.Builder, name string, v reflect.Value, skip map[string]bool) {
	if v.Kind() == reflect.Struct {
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && !skip[f.Name] {
				fields(b, f.Name, v.Field(i), skip)
			}
		}
		return
	}
	switch x := v.Interface().(type) {
	case []byte:
		fmt.Fprintf(b, " %s=%q", name, x)
	case [6][]byte:
		fmt.Fprintf(b, " %s=%q", name, x[:])
	case [][]byte:
		fmt.Fprintf(b, " %s=%q", name, x)
	case [32]byte:
		fmt.Fprintf(b, " %s=%x", name, x)
	default:
		if v.CanInt() {
			fmt.Fprintf(b, " %s=%d", name, v.Int())
			return
		}
		fmt.Fprintf(b, " %s=%v", name, x)
	}
}
