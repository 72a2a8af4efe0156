package differential

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"hash"
	"hash/fnv"
	"iter"
	"slices"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// matchConfig describes a match for both servers.
type matchConfig struct {
	Map      string
	MapFile  []byte // nil for the pit and for a map that comes with a server
	Players  int
	Ticks    int
	Seed     uint64
	Settings []string
	NextMap  string // next map of the rotation, on which the match continues
	Settle   int32  // ticks after the restart that are not compared; 0 means 25
	behavior behavior
}

// settle returns how many ticks after the restart the players appear. Until then clients see the
// place of their old view. These ticks are not compared.
func (c *matchConfig) settle() int32 { return cmp.Or(c.Settle, 25) }

// startCommand returns the console command that begins the match. It first sets every player's
// team. That resets the tick from which players may change the team themselves. Otherwise this tick
// would differ, since players joined at different ticks on the two servers.
func (c *matchConfig) startCommand() []byte {
	var b []byte
	for i := range c.Players {
		b = fmt.Appendf(b, "set_team %d %d; ", i, i%2) // the player's current team
	}
	return append(b, "restart"...)
}

// survival reports whether players have one life per round.
func (c *matchConfig) survival() bool {
	return slices.ContainsFunc(c.Settings, func(s string) bool { return s == "sv_gametype lms" || s == "sv_gametype lts" })
}

// match is a match on the original, with the messages and observations of its clients.
type match struct {
	Config matchConfig
	Start  int32 // tick after which the original ran the restart that begins the match
	// Inputs is how many inputs each player sent before the match. The servers keep inputs in a
	// ring of 200. When two inputs are too late for their ticks, the ring's position decides which
	// of them counts.
	Inputs []int
	Steps  []step
	Rounds []int32    // ticks of the snapshots after the restart
	Ticks  [][]int32  // by player: those of Rounds that the player got
	Hashes [][]uint32 // by player: hashes of the observations in Ticks, see hashes
	// OtherIDs is set if projectiles, lasers and pickups have different ids on our server. The
	// original continues the ids of the map before.
	OtherIDs bool
	Dice     uint32 // the last random number that the original drew before the match
	After    *match // continuation on the next map, or nil

	seen [][]observation // by player; nil for a match that was loaded
}

// stepKind is the kind of a step.
type stepKind int

const (
	stepSend  stepKind = iota // sends messages and an input
	stepLeave                 // closes the connection
	stepEnter                 // connects again and enters the game, all between two ticks
)

// step holds everything that a player sends in one datagram.
type step struct {
	Player   int
	Kind     stepKind
	Tick     int32 // the server took the step after this tick, so its effects come in the next one
	Intended int32 // tick that the input is for
	Input    msg7.PlayerInput
	Messages [][]byte // vital messages with their ids

	order int // position in the order of sending
}

// toInput converts an input from a message's type to a client's.
func toInput(in msg7.PlayerInput) game.Input {
	return game.Input{
		Direction: in.Direction, TargetX: in.TargetX, TargetY: in.TargetY, Jump: in.Jump, Fire: in.Fire, Hook: in.Hook,
		Flags: game.PlayerFlags(in.PlayerFlags), WantedWeapon: in.WantedWeapon, NextWeapon: in.NextWeapon, PrevWeapon: in.PrevWeapon,
	}
}

// observation is what a player saw in one round: a snapshot, and the game messages since the
// snapshot before.
type observation struct {
	tick     int32
	items    []item
	messages []string // with their message ids
	whole    bool     // the snapshot is not a delta
}

type item struct {
	key  snapshot.Key
	ints []int32
}

// find returns the integers of an item, or nil.
func (o *observation) find(typ, id int) []int32 {
	key := snapshot.MakeKey(typ, id)
	if i := slices.IndexFunc(o.items, func(it item) bool { return it.key == key }); i >= 0 {
		return o.items[i].ints
	}
	return nil
}

// hideVitals removes health, armor and ammunition of other players if this player does not watch.
// The original still shows the values of a player who was followed in the round before.
func (o *observation) hideVitals(player int) {
	if o.find(msg7.TypeSpectatorInfo, player) != nil {
		return
	}
	o.items = slices.Clone(o.items)
	for i := range o.items {
		if it := &o.items[i]; it.key.Type() == msg7.TypeCharacter && it.key.ID() != player {
			it.ints = slices.Clone(it.ints)
			const health, armor, ammo = 15, 16, 17
			it.ints[health], it.ints[armor], it.ints[ammo] = 0, 0, 0
		}
	}
}

// renumber gives projectiles, lasers and pickups new ids in the order of their contents.
func (o *observation) renumber() {
	o.items = slices.Clone(o.items)
	slices.SortStableFunc(o.items, func(a, b item) int {
		if a.isEntity() && b.isEntity() {
			return cmp.Or(cmp.Compare(a.key.Type(), b.key.Type()), slices.Compare(a.ints, b.ints))
		}
		return cmp.Compare(a.key, b.key)
	})
	for i := range o.items {
		if it := &o.items[i]; it.isEntity() {
			it.key = snapshot.MakeKey(it.key.Type(), i)
		}
	}
}

func (it *item) isEntity() bool {
	t := it.key.Type()
	return t == msg7.TypeProjectile || t == msg7.TypeLaser || t == msg7.TypePickup
}

// addTo adds all parts of an observation to a hash.
func (o *observation) addTo(h hash.Hash32) {
	var b []byte
	add := func(v int32) { b = binary.LittleEndian.AppendUint32(b, uint32(v)) }
	add(o.tick)
	for i := range o.items {
		add(int32(o.items[i].key))
		for _, v := range o.items[i].ints {
			add(v)
		}
	}
	for _, m := range o.messages {
		add(int32(len(m)))
		b = append(b, m...)
	}
	h.Write(b)
}

// observer is a client that records its observations.
type observer struct {
	*client.Session
	decoder         msg7.Decoder
	seen            []observation
	pending         []string      // messages since the last snapshot
	loggedIn        bool          // to the remote console
	entered         bool          // the server answered ENTERGAME
	inputs          int           // number of inputs sent
	whole           int           // number of snapshots that are not deltas
	joinedAtNumSeen int           // length of seen when the client joined again
	maps            []string      // maps that the server announced
	seenBefore      []observation // observations on the map before the current one
}

// sessionConfig returns the configuration of player i, for both servers.
func (o *observer) sessionConfig(i int) client.SessionConfig {
	return client.SessionConfig{
		Name: fmt.Sprintf("player%d", i), ManualInput: true, HasMap: func(*bridge.MapChange) bool { return true },
		OnMessage: o.recordMessage, OnSnapshot: o.recordSnapshot,
	}
}

func (o *observer) recordMessage(payload []byte, vital bool) {
	m, err := o.decoder.Decode(payload)
	if err != nil || !vital {
		return
	}
	switch m := m.(type) {
	case *msg7.RconAuthOn:
		o.loggedIn = true
	case *msg7.ServerInfo:
		o.entered = true
	case *msg7.MapChange:
		o.changeMap(string(m.Name))
	}
	switch id := m.ID(); {
	case id.System():
	case id == msg7.IDSvCommandInfo, id == msg7.IDSvCommandInfoRemove: // the original has no chat commands
	default:
		o.pending = append(o.pending, string(m.Append(nil)))
	}
}

// changeMap starts a new list of observations for a map, on which ticks begin with 0.
func (o *observer) changeMap(name string) {
	if n := len(o.maps); n > 0 {
		if name == o.maps[n-1] {
			return // the client has joined again on the same map
		}
		o.seenBefore, o.seen, o.inputs = o.seen, nil, 0
	}
	o.maps = append(o.maps, name)
}

func (o *observer) recordSnapshot(tick int32, s *snapshot.Snapshot) {
	whole := o.Stats().Whole
	now := observation{tick: tick, items: make([]item, s.Len()), messages: o.pending, whole: whole > o.whole}
	o.whole = whole
	for i := range now.items {
		key, ints := s.Item(i)
		now.items[i] = item{key, slices.Clone(ints)}
	}
	o.seen = append(o.seen, now)
	o.pending = nil
}

// isOn reports whether the observer is on a map.
func (o *observer) isOn(mapName string) bool { return o.maps[len(o.maps)-1] == mapName }

// since returns the observations on the map of a match after a tick.
func (o *observer) since(m *match, tick int32) []observation {
	seen := o.seen
	if !o.isOn(m.Config.Map) {
		seen = o.seenBefore
	}
	i := slices.IndexFunc(seen, func(s observation) bool { return s.tick > tick })
	if i < 0 {
		return nil
	}
	return seen[i:]
}

func ticksOf(seen []observation) []int32 {
	ticks := make([]int32, len(seen))
	for i := range seen {
		ticks[i] = seen[i].tick
	}
	return ticks
}

// align returns a player's observations in the ticks in which the original sent that player a
// snapshot, in a form that can be compared. If the player missed the round before, the messages are
// left out, because they cover more than one round.
func (m *match) align(player int, seen []observation) []observation {
	ticks := m.Ticks[player]
	before := make(map[int32]int32, len(m.Rounds))
	for i := 1; i < len(m.Rounds); i++ {
		before[m.Rounds[i]] = m.Rounds[i-1]
	}
	aligned := make([]observation, len(ticks))
	for i, tick := range ticks {
		aligned[i].tick = tick
		if at, ok := slices.BinarySearchFunc(seen, tick, func(o observation, tick int32) int { return int(o.tick - tick) }); ok {
			aligned[i] = seen[at]
		}
		if i > 0 && before[tick] != ticks[i-1] {
			aligned[i].messages = nil
		}
		if m.Config.survival() {
			aligned[i].hideVitals(player)
		}
		if m.OtherIDs {
			aligned[i].renumber()
		}
	}
	return aligned
}

// hashedRounds is the number of rounds between two hashes.
const hashedRounds = 25

// hashes returns a hash after every hashedRounds-th round and after the last one. Each covers all
// of the player's observations up to then.
func (m *match) hashes(player int, seen []observation) []uint32 {
	var hashes []uint32
	h := fnv.New32a()
	aligned := m.align(player, seen)
	for i := range aligned {
		aligned[i].addTo(h)
		if i%hashedRounds == hashedRounds-1 || i == len(aligned)-1 {
			hashes = append(hashes, h.Sum32())
		}
	}
	return hashes
}

// parts iterates over the parts of a match, one for each map.
func (m *match) parts() iter.Seq2[int, *match] {
	return func(yield func(int, *match) bool) {
		for i := 0; m != nil && yield(i, m); i++ {
			m = m.After
		}
	}
}
