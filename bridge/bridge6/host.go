package bridge6

import (
	"slices"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// Protocol is 0.6 as a server speaks it. It implements [bridge.Protocol]; it and its
// hosts are for one goroutine.
type Protocol struct {
	decoder msg6.Decoder
	scene   scene
	buf     []byte
	world   *game.World // of the last tick; nil before the first
	// names are the players' last ones, also when they are gone.
	names [game.MaxPlayers]string
}

// NewProtocol makes the 0.6 of one server.
func NewProtocol() *Protocol { return new(Protocol) }

// Name implements [bridge.Protocol].
func (v *Protocol) Name() string { return "0.6" }

// NetVersion implements [bridge.Protocol].
func (v *Protocol) NetVersion() string { return msg6.NetVersion }

// NeedsUncompressedTiles implements [bridge.Protocol]: DDNet reads compressed tile layers from 17.2
// on only, and Teeworlds 0.6 never did.
func (v *Protocol) NeedsUncompressedTiles() bool { return true }

// RecordTick implements [bridge.Protocol].
func (v *Protocol) RecordTick(w *game.World, events []game.Event) {
	v.world = w
	for i := range events {
		switch ev := &events[i]; ev.Kind {
		case game.EvPlayerEntered:
			if p, ok := w.Player(ev.Player); ok {
				v.names[ev.Player] = p.Profile.Name
			}
			v.scene.strip(ev.Player)
		case game.EvPlayerLeft:
			v.scene.strip(ev.Player)
			v.scene.ranked &^= game.MaskOne(ev.Player)
		}
	}
	v.scene.note(w.Frame(), events)
}

// BeginSnapshots implements [bridge.Protocol].
func (v *Protocol) BeginSnapshots(w *game.World) {
	v.world = w
	v.scene.begin(w)
}

// EndSnapshots implements [bridge.Protocol].
func (v *Protocol) EndSnapshots() { v.scene.done() }

// NewServerSide implements [bridge.Protocol].
func (v *Protocol) NewServerSide(s bridge.Session) bridge.ServerSide {
	return &serverSide{v: v, s: s, version: msg6.VersionNone, own: game.Nobody, partner: game.Nobody, ids: idMap{few: true}}
}

// playerName is a player's name, also in the tick after he left.
func (v *Protocol) nameOf(id game.PlayerID) string {
	if id < 0 || id >= game.MaxPlayers {
		return ""
	}
	if v.world != nil {
		if p, ok := v.world.Player(id); ok && p.Profile.Name != "" {
			return p.Profile.Name
		}
	}
	return v.names[id]
}

// serverSide is the server's end of the bridge for one client. What it needs while it
// works it shares with the others.
type serverSide struct {
	v *Protocol
	s bridge.Session

	version int32 // of DDNet's client, msg6.VersionNone for others
	greeted bool  // INFO came
	able    bool  // was told what the server can do
	own     game.PlayerID
	ids     idMap

	profile    game.Profile // as told first
	dressed    look         // as told last
	warned     bool         // that a name stays
	partner    game.PlayerID
	replies    allowance
	changes    allowance
	locked     bool // the teams, as told last
	lockKnown  bool
	lists      bool // wants to know the commands of the console
	input      bridge.InputMessage
	playerInfo msg6.PlayerInput
}

// ddnet tells whether the client reads DDNet's own messages and objects.
func (h *serverSide) ddnet() bool { return h.version >= msg6.VersionDDNetOld }

// sizes are those of the snapshot objects both ends know.
var sizes = snapshot.ItemSizes(msg6.Sizes)

// say queues a message that must arrive.
func (h *serverSide) say(m msg6.Message) {
	h.v.buf = m.Append(h.v.buf[:0])
	h.s.Queue(h.v.buf, true)
}

// Reset implements [bridge.ServerSide].
func (h *serverSide) Reset() {
	h.ids.reset()
	h.own, h.partner = game.Nobody, game.Nobody
	h.locked, h.lockKnown = false, false
	h.replies, h.changes = 0, 0 // the world's ticks begin anew
}

// SendMapChange implements [bridge.ServerSide]. MAP_DETAILS comes before it only where the map
// is on a web server: DDNet's client would look for it there before it asks for it
// here, and, without a URL, on its own project's.
func (h *serverSide) SendMapChange(m *bridge.Map) {
	if h.ddnet() && !h.able {
		h.able = true
		h.say(&msg6.Capabilities{Version: msg6.CapabilitiesVersion, Flags: msg6.CapabilityPingEx | msg6.CapabilityAllowDummy})
	}
	if h.ddnet() && m.URL != "" {
		h.say(&msg6.MapDetails{Name: []byte(m.Name), SHA256: m.SHA256, CRC: int32(m.CRC), Size: int32(len(m.File)), URL: []byte(m.URL)})
	}
	name := m.Name
	if !h.ddnet() && slices.Contains(standardMaps, name) {
		name += "_7"
	}
	h.say(&msg6.MapChange{Name: []byte(name), CRC: int32(m.CRC), Size: int32(len(m.File))})
}

// standardMaps are the names under which 0.6.5 accepts the maps only that it came
// with: it leaves a server that has another dm1, and 0.7's is another.
var standardMaps = []string{
	"dm1", "dm2", "dm6", "dm7", "dm8", "dm9",
	"ctf1", "ctf2", "ctf3", "ctf4", "ctf5", "ctf6", "ctf7",
}

// SendMapData implements [bridge.ServerSide].
func (h *serverSide) SendMapData(m *bridge.Map, chunk int) {
	from := chunk * msg6.MapChunkSize
	if from < 0 || from >= len(m.File) {
		return
	}
	d := msg6.MapData{CRC: int32(m.CRC), Chunk: int32(chunk), Data: m.File[from:]}
	if len(d.Data) > msg6.MapChunkSize {
		d.Data = d.Data[:msg6.MapChunkSize]
	} else {
		d.Last = 1
	}
	h.v.buf = d.Append(h.v.buf[:0])
	h.s.Queue(h.v.buf, true)
}

// MapChunkSize implements [bridge.ServerSide].
func (h *serverSide) MapChunkSize() int { return msg6.MapChunkSize }

// SendConReady implements [bridge.ServerSide].
func (h *serverSide) SendConReady() { h.say(&msg6.ConReady{}) }

// SendReadyToEnter implements [bridge.ServerSide].
func (h *serverSide) SendReadyToEnter() { h.say(&msg6.SvReadyToEnter{}) }

// SendServerInfo implements [bridge.ServerSide]: 0.6 clients ask for it without a connection.
func (h *serverSide) SendServerInfo(*bridge.ServerInfo) {}

// SendMotd implements [bridge.ServerSide].
func (h *serverSide) SendMotd(text string) { h.say(&msg6.SvMotd{Message: []byte(text)}) }

// SendGameInfo implements [bridge.ServerSide]: it is in the snapshots.
func (h *serverSide) SendGameInfo(*game.World) {}

// SendTuning implements [bridge.ServerSide].
func (h *serverSide) SendTuning(w *game.World) {
	t := w.Tuning()
	var params [msg6.TuneParamsVanilla]int32
	n := copy(params[:], t[:laserDamageIndex])
	params[n] = laserDamage
	copy(params[n+1:], t[laserDamageIndex:])
	h.say(&msg6.SvTuneParams{Params: params[:]})
}

// Parameters of 0.6 that 0.7 does not have: where it stands, and its value times 100.
const (
	laserDamageIndex = 30
	laserDamage      = 500
)

// SendRconAuthStatus implements [bridge.ServerSide].
func (h *serverSide) SendRconAuthStatus(on bool) {
	m := msg6.RconAuthStatus{}
	if on {
		m = msg6.RconAuthStatus{Authed: 1, CmdList: 1}
	}
	h.say(&m)
}

// SendRconLine implements [bridge.ServerSide].
func (h *serverSide) SendRconLine(line string) { h.say(&msg6.RconLine{Line: []byte(line)}) }

// SendRconCommand implements [bridge.ServerSide].
func (h *serverSide) SendRconCommand(c *bridge.CommandInfo) {
	if h.lists {
		h.say(&msg6.RconCmdAdd{Name: []byte(c.Name), Help: []byte(c.Help), Params: []byte(c.Params)})
	}
}

// SendRconCommandRemoved implements [bridge.ServerSide].
func (h *serverSide) SendRconCommandRemoved(name string) {
	if h.lists {
		h.say(&msg6.RconCmdRem{Name: []byte(name)})
	}
}

// SendMapListEntry implements [bridge.ServerSide]: 0.6 has none.
func (h *serverSide) SendMapListEntry(string) {}

// BuildSnapshot implements [bridge.ServerSide].
func (h *serverSide) BuildSnapshot(b *snapshot.Builder, v *game.View, latency *[game.MaxPlayers]int32) {
	if h.ids.few {
		h.ids.look(v)
	}
	h.v.scene.build(b, v, latency, viewer{ids: &h.ids, ddnet: h.ddnet()})
}

// ItemSizes implements [bridge.ServerSide].
func (h *serverSide) ItemSizes() *snapshot.ItemSizes { return &sizes }

// SendSnapshotPart implements [bridge.ServerSide].
func (h *serverSide) SendSnapshotPart(s snapshot.PartHeader, part int, data []byte) {
	delta := s.Tick - s.BaseTick
	switch s.Parts {
	case 0:
		m := msg6.SnapEmpty{Tick: s.Tick, DeltaTick: delta}
		h.v.buf = m.Append(h.v.buf[:0])
	case 1:
		m := msg6.SnapSingle{Tick: s.Tick, DeltaTick: delta, CRC: s.CRC, Data: data}
		h.v.buf = m.Append(h.v.buf[:0])
	default:
		m := msg6.Snap{Tick: s.Tick, DeltaTick: delta, Parts: s.Parts, Part: int32(part), CRC: s.CRC, Data: data}
		h.v.buf = m.Append(h.v.buf[:0])
	}
	h.s.Queue(h.v.buf, false)
}

// SendInputTiming implements [bridge.ServerSide].
func (h *serverSide) SendInputTiming(tick, left int32) {
	m := msg6.InputTiming{IntendedTick: tick, TimeLeft: left}
	h.v.buf = m.Append(h.v.buf[:0])
	h.s.Queue(h.v.buf, false)
}
