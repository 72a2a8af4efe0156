//go:build peers

package transcript

import (
	"cmp"
	"fmt"
	"hash/crc32"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/peers"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/snapshot"
	"github.com/teeyard/teeyard/transport"
)

// A step of the scenario ends when no player has got a message for all three of these: a time, a
// number of snapshots and a number of ticks. On a busy machine each of them alone can pass before
// the server reads its socket.
const (
	quietTime      = 300 * time.Millisecond
	quietSnapshots = 8
	quietTicks     = 16
)

// stepTimeout is how long the scenario waits for the effects of a step. The transcript marks a step
// that timed out.
const stepTimeout = 8 * time.Second

// timedOut ends the transcript's line about a step that timed out.
const timedOut = ": what is to come of it does not"

// player is a client of the scenario that records its messages.
type player struct {
	*client.Session
	name   string
	t      *testing.T
	lines  []string       // messages of this step
	events map[string]int // snapshot events of this step
	world  map[string]int // items of the snapshot at the end of the last step
	input  game.Input

	itemDecoder msg7.ObjectDecoder
	decoder     msg7.Decoder

	survival     bool // dead players do not respawn
	team         msg7.Team
	wasPlaying   bool // at the beginning of this step
	disconnected bool // the transcript has a line about it

	// Time since which no message came.
	quietSince    time.Time
	quietSnapshot int
	quietTick     int32
}

// scenario is one run against a server. The transcript has the steps in order, and within a step
// the players in order.
type scenario struct {
	t          *testing.T
	server     transport.Peer
	players    []*player
	econ       *econClient         // nil without a client at the external console
	prefix     string              // prefix of the names of steps
	survival   bool                // dead players do not respawn
	lists      map[string][]string // lists of commands and maps, as first received
	received   chan datagram
	done       chan struct{}
	transcript []string
}

// datagram is a datagram that a player received.
type datagram struct {
	to      *player
	payload []byte
}

func now() conn.Time { return conn.Time(transport.Monotonic()) }

// joinConfig is the configuration of a player.
type joinConfig struct {
	name, password string
	host           byte // the last byte of the address 127.0.0.x
	hasMap         bool
}

// join adds a player.
func (sc *scenario) join(v joinConfig) *player {
	sc.t.Helper()
	p := &player{name: v.name, t: sc.t, survival: sc.survival, events: map[string]int{}, world: map[string]int{}, quietSince: time.Now()}
	socket := peers.DialUDP(sc.t, v.host, sc.server, func(b []byte) {
		select {
		case sc.received <- datagram{p, b}:
		case <-sc.done:
		}
	})
	var err error
	p.Session, err = client.NewSession(client.SessionConfig{
		Name: v.name, Clan: "yard", Country: 276, Skin: newSkin("standard", 0), Password: v.password,
		Send:       func(b []byte) { socket.Write(b) },
		HasMap:     func(*bridge.MapChange) bool { return v.hasMap },
		OnMessage:  p.recordMessage,
		OnSnapshot: p.recordSnapshot,
	})
	if err != nil {
		sc.t.Fatal(err)
	}
	if err := p.Dial(now()); err != nil {
		sc.t.Fatal(err)
	}
	sc.players = append(sc.players, p)
	return p
}

// newSkin returns a skin with one colour; 0 stands for the usual colours.
func newSkin(body string, color int32) game.Skin {
	var s game.Skin
	for i, part := range []string{body, "", "", "standard", "standard", "standard"} {
		s.PartNames[i], s.UseCustomColors[i], s.PartColors[i] = part, color != 0, color
	}
	return s
}

// send sends a message.
func (p *player) send(m msg7.Message) {
	if err := p.SendMessage(now(), m.Append(nil)); err != nil {
		p.t.Fatalf("%s: %v", p.name, err)
	}
}

// changeInput changes the player's input from the next tick on.
func (p *player) changeInput(change func(in *game.Input)) {
	change(&p.input)
	p.SetInput(p.input)
}

// recordMessage records a vital message. Messages that are not vital are snapshots and input
// timing.
func (p *player) recordMessage(payload []byte, vital bool) {
	if !vital {
		return
	}
	p.restartQuiet()
	m, err := p.decoder.Decode(payload)
	if err != nil {
		p.t.Errorf("%s: %v", p.name, err)
		return
	}
	switch m := m.(type) {
	case *msg7.SvClientInfo:
		if m.Local {
			p.team = m.Team
		}
	case *msg7.SvTeam:
		if int(m.ClientID) == p.ID() {
			p.team = m.Team
		}
	}
	p.lines = append(p.lines, describeMessage(m))
}

// restartQuiet restarts the wait for the end of the step.
func (p *player) restartQuiet() {
	p.quietSnapshot, p.quietSince = p.Stats().Snapshots, time.Now()
	_, p.quietTick = p.NewestSnapshot()
}

// isDead reports whether the player has no tee and will respawn.
func (p *player) isDead(s *snapshot.Snapshot) bool {
	return !p.survival && p.team >= 0 && p.ID() >= 0 && s.Find(snapshot.MakeKey(msg7.TypeCharacter, p.ID())) == nil
}

// isQuiet reports whether no message has come for long enough. It also requires that the player is
// not dead.
func (p *player) isQuiet() bool {
	if p.State() == client.Offline {
		return true
	}
	_, tick := p.NewestSnapshot()
	return p.State() == client.Playing && time.Since(p.quietSince) >= quietTime &&
		p.Stats().Snapshots >= p.quietSnapshot+quietSnapshots && tick >= p.quietTick+quietTicks
}

// got returns a condition: in this step a message came whose line begins with the prefix.
func (p *player) got(prefix string) func() bool {
	return func() bool {
		return slices.ContainsFunc(p.lines, func(l string) bool { return strings.HasPrefix(l, prefix) })
	}
}

// flagCarriers returns the carriers of the flags in the newest snapshot.
func (p *player) flagCarriers() (carriers [2]int32, ok bool) {
	s, _ := p.NewestSnapshot()
	if p.State() != client.Playing || s == nil {
		return carriers, false
	}
	ints := s.Find(snapshot.MakeKey(msg7.TypeGameDataFlag, 0))
	o, err := p.itemDecoder.Decode(msg7.TypeGameDataFlag, ints)
	if flags, isFlags := o.(*msg7.GameDataFlag); ints != nil && err == nil && isFlags {
		return [2]int32{int32(flags.CarrierRed), int32(flags.CarrierBlue)}, true
	}
	return carriers, false
}

// isAlive reports whether the player has a tee.
func (p *player) isAlive() bool {
	s, _ := p.NewestSnapshot()
	return p.State() == client.Playing && p.ID() >= 0 && s.Find(snapshot.MakeKey(msg7.TypeCharacter, p.ID())) != nil
}

// gotEvent returns a condition: a snapshot event came in this step.
func (p *player) gotEvent(event string) func() bool {
	return func() bool { return p.events["event "+event] > 0 }
}

// hasItem returns a condition: the newest snapshot contains an item with this line.
func (p *player) hasItem(line string) func() bool {
	return func() bool {
		if p.State() != client.Playing {
			return false
		}
		s, _ := p.NewestSnapshot()
		return p.items(s)[line] > 0
	}
}

// soundPickupIsBack is the event of a pickup that reappears.
const soundPickupIsBack = "SoundWorld Sound=29"

// recordSnapshot records the events of a snapshot.
func (p *player) recordSnapshot(_ int32, s *snapshot.Snapshot) {
	if p.isDead(s) {
		p.restartQuiet()
	}
	for i := range s.Len() {
		k, ints := s.Item(i)
		if k.Type() < msg7.TypeEventCommon || k.Type() > msg7.TypeEventDamage {
			continue
		}
		if e := p.describeItem(k, ints); e != soundPickupIsBack {
			p.events["event "+e]++
		}
	}
}

// items counts the items of a snapshot by their line. It leaves out events, projectiles and lasers,
// which may or may not be gone by the end of a step.
func (p *player) items(s *snapshot.Snapshot) map[string]int {
	all := map[string]int{}
	if s == nil {
		return all
	}
	for i := range s.Len() {
		k, ints := s.Item(i)
		switch typ := k.Type(); {
		case typ >= msg7.TypeEventCommon && typ <= msg7.TypeEventDamage:
		case typ == msg7.TypeProjectile, typ == msg7.TypeLaser:
		default:
			all[p.describeItem(k, ints)]++
		}
	}
	return all
}

// step runs do, waits until all conditions are true and no more messages come, and adds every
// player's messages to the transcript.
func (sc *scenario) step(name string, do func(), until ...func() bool) {
	sc.t.Helper()
	name = sc.prefix + name
	for _, p := range sc.players {
		p.wasPlaying = p.State() == client.Playing
	}
	do()
	sc.awaitQuiet(name, until)
	for _, p := range slices.Clone(sc.players) {
		sc.write(name, p)
	}
	for _, l := range sc.econ.take() {
		sc.transcript = append(sc.transcript, name+", econ: "+mask(l))
	}
}

// awaitQuiet waits until all conditions are true and no more messages come.
func (sc *scenario) awaitQuiet(name string, until []func() bool) {
	sc.t.Helper()
	begin := time.Now()
	for _, p := range sc.players {
		p.restartQuiet()
	}
	timer := time.NewTicker(5 * time.Millisecond)
	defer timer.Stop()
	for waiting := true; ; {
		for _, p := range sc.players {
			if p.State() != client.Offline {
				p.Step(now())
			}
		}
		if waiting {
			waiting = slices.ContainsFunc(until, func(f func() bool) bool { return !f() })
			if waiting && time.Since(begin) > stepTimeout {
				sc.transcript = append(sc.transcript, name+timedOut)
				waiting = false
			}
			if !waiting {
				for _, p := range sc.players {
					p.restartQuiet()
				}
			}
		}
		if !waiting && len(sc.received) == 0 && !slices.ContainsFunc(sc.players, func(p *player) bool { return !p.isQuiet() }) {
			return
		}
		if time.Since(begin) > 4*stepTimeout {
			for _, p := range sc.players {
				sc.t.Logf("%s: %d, %v, %q", p.name, p.State(), p.Err(), p.lines)
			}
			sc.t.Fatalf("%s: messages do not stop", name)
		}
		select {
		case d := <-sc.received:
			if d.to.State() != client.Offline {
				d.to.Feed(now(), d.payload)
			}
		case <-timer.C:
		}
	}
}

// write adds a player's messages in a step to the transcript.
func (sc *scenario) write(step string, p *player) {
	add := func(line string) { sc.transcript = append(sc.transcript, step+", "+p.name+": "+line) }
	joined := p.got("MAP_CHANGE")()
	for _, l := range sc.collapseLists(sortLists(onFastDisk(p.lines))) {
		if sc.prefix == "" || !isOfList(l) && !strings.HasPrefix(l, "MAP_CHANGE ") { // the tour of dm has them
			add(l)
		}
	}
	p.lines = nil
	// A player who joined in this step misses events, because the first snapshots are rare.
	if p.wasPlaying && !joined {
		for _, l := range sorted(p.events) {
			add(fmt.Sprintf("%s x%d", l, p.events[l]))
		}
	}
	clear(p.events)
	if p.State() == client.Offline {
		if !p.disconnected {
			p.disconnected = true
			add(fmt.Sprintf("DISCONNECTED %v", mask(fmt.Sprint(p.Err()))))
		}
		sc.players = slices.DeleteFunc(sc.players, func(o *player) bool { return o == p })
		return
	}
	s, _ := p.NewestSnapshot()
	world := p.items(s)
	for _, l := range sorted(world) {
		if strings.HasPrefix(l, "Pickup ") && !joined {
			continue // a pickup reappears some time after it was taken
		}
		if n := world[l]; n != p.world[l] {
			add(fmt.Sprintf("object %s x%d", l, n))
		}
	}
	for _, l := range sorted(p.world) {
		if world[l] == 0 {
			add("object " + l + " gone")
		}
	}
	p.world = world
}

// await waits in the middle of a step until a condition is true.
func (sc *scenario) await(condition func() bool) {
	sc.t.Helper()
	for begin := time.Now(); !condition() && time.Since(begin) < stepTimeout; {
		sc.sleep(10 * time.Millisecond)
	}
}

// leave closes the connection of a player.
func (sc *scenario) leave(p *player) {
	p.Close(now())
	sc.players = slices.DeleteFunc(sc.players, func(o *player) bool { return o == p })
}

// sleep waits at least for a duration, measured also in ticks of the server.
func (sc *scenario) sleep(duration time.Duration) {
	begin, p := time.Now(), sc.players[0]
	_, from := p.NewestSnapshot()
	over := func() bool {
		_, tick := p.NewestSnapshot()
		return time.Since(begin) >= duration && tick >= from+int32(duration/(20*time.Millisecond))
	}
	for !over() {
		if time.Since(begin) > duration+4*stepTimeout {
			sc.t.Fatalf("%s's game stands still: %v", p.name, p.Err())
		}
		for _, p := range sc.players {
			p.Step(now())
		}
		select {
		case d := <-sc.received:
			d.to.Feed(now(), d.payload)
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

// sortLists moves the lists of commands and maps to the end and sorts them. Servers send them
// slowly, between other messages.
func sortLists(lines []string) []string {
	rank := func(l string) int {
		return 1 + slices.IndexFunc(listMessages, func(name string) bool { return strings.HasPrefix(l, name) })
	}
	slices.SortStableFunc(lines, func(a, b string) int {
		if c := cmp.Compare(rank(a), rank(b)); c != 0 || rank(a) == 0 {
			return c
		}
		return cmp.Compare(a, b)
	})
	return lines
}

// listMessages are the names of the messages with entries of lists.
var listMessages = []string{"RCON_CMD_ADD ", "MAPLIST_ENTRY_ADD ", "Sv_CommandInfo "}

// isOfList reports whether a line is an entry of a list of commands or maps.
func isOfList(line string) bool {
	return slices.ContainsFunc(listMessages, func(name string) bool { return strings.HasPrefix(line, name) })
}

// collapseLists replaces a list of commands or maps by one line if a player got the same list
// before.
func (sc *scenario) collapseLists(lines []string) []string {
	for _, name := range listMessages {
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
		case sc.lists[name] == nil:
			sc.lists[name] = list
		case slices.Equal(list, sc.lists[name]):
			lines = append(others, name+"all as before")
		}
	}
	return lines
}

var masks = []struct {
	re *regexp.Regexp
	as string
}{
	{regexp.MustCompile(`(127\.0\.0\.\d+):\d+`), "$1:PORT"},
	{regexp.MustCompile(`\d\d:\d\d:\d\d`), "TIME"},
	{regexp.MustCompile(` time=\d+\.\d\d`), " time=T"},
}

// mask replaces the ports and times in a text.
func mask(s string) string {
	for _, v := range masks {
		s = v.re.ReplaceAllString(s, v.as)
	}
	return s
}

// describeMessage returns a message as a line with its name and fields. It leaves out ticks, times
// and the help of console commands, and shows map data as a checksum.
func describeMessage(m msg7.Message) string {
	var b strings.Builder
	b.WriteString(m.ID().String())
	switch m := m.(type) {
	case *msg7.MapData:
		fmt.Fprintf(&b, " bytes=%d crc=%08x", len(m.Data), crc32.ChecksumIEEE(m.Data))
	case *msg7.RconCmdAdd:
		fmt.Fprintf(&b, " %s", strings.TrimSpace(fmt.Sprintf("%s %s", m.Name, m.Params)))
	case *msg7.SvVoteSet:
		fmt.Fprintf(&b, " ClientID=%d Type=%d Timeout=%v Description=%q Reason=%q", m.ClientID, m.Type, m.Timeout != 0, m.Description, m.Reason)
	case *msg7.SvGameMsg:
		params := m.Params[:]
		if m.Kind == msg7.GameMsgCTFCapture {
			params = params[:2] // leave out the time
		}
		fmt.Fprintf(&b, " Kind=%d Params=%v", m.Kind, params)
	case *msg7.SvTeam:
		fmt.Fprintf(&b, " ClientID=%d Team=%d Silent=%v Cooldown=%v", m.ClientID, m.Team, m.Silent, m.CooldownTick != 0)
	default:
		fields(&b, "", reflect.ValueOf(m).Elem(), nil)
	}
	return mask(b.String())
}

// volatileFields are the item fields that depend on the moment. The differential tests compare
// them.
var volatileFields = map[string]bool{
	"GameStartTick": true, "GameStateEndTick": true, "Latency": true, "AttackTick": true, "TriggeredEvents": true,
	"DropTickRed": true, "DropTickBlue": true, "Emote": true, "Angle": true,
}

// describeItem returns an item as a line.
func (p *player) describeItem(k snapshot.Key, ints []int32) string {
	var b strings.Builder
	b.WriteString(msg7.ObjectName(k.Type()))
	o, err := p.itemDecoder.Decode(k.Type(), ints)
	if err != nil {
		p.t.Errorf("%s: object %d: %v", p.name, k.Type(), err)
		return fmt.Sprint("object of type ", k.Type())
	}
	switch o := o.(type) {
	case *msg7.Pickup:
		fmt.Fprintf(&b, " X=%d Y=%d Type=%d", o.X, o.Y, o.Type)
	case *msg7.GameData:
		fmt.Fprintf(&b, " State=%d Ends=%v", o.StateFlags, o.StateEndTick != 0)
	case *msg7.Character:
		fmt.Fprintf(&b, " %d Health=%d Armor=%d Ammo=%d Weapon=%d", k.ID(), o.Health, o.Armor, o.Ammo, o.Weapon)
	case *msg7.Flag: // flags may be carried about
		fmt.Fprintf(&b, " Team=%d", o.Team)
	case *msg7.SpectatorInfo:
		fmt.Fprintf(&b, " Mode=%d ID=%d", o.Mode, o.SpectatorID)
	default:
		if k.Type() < msg7.TypeEventCommon || k.Type() > msg7.TypeEventDamage {
			fmt.Fprintf(&b, " %d", k.ID())
			fields(&b, "", reflect.ValueOf(o).Elem(), volatileFields)
			break
		}
		skip := map[string]bool{"X": true, "Y": true, "Angle": true}
		fields(&b, "", reflect.ValueOf(o).Elem(), skip)
	}
	return b.String()
}

// fields appends the fields of a struct. Fields that are numbers on the wire become numbers.
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
