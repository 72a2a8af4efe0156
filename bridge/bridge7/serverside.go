package bridge7

import (
	"fmt"
	"slices"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/bridge/internal/clientids"
	"github.com/teeyard/teeyard/bridge/internal/texts"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/safetext"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// Protocol implements [bridge.Protocol] for 0.7. Use it and its ServerSides from one goroutine
// only.
type Protocol struct {
	decoder msg7.Decoder
	// ddnetDecoder decodes DDNet's own messages.
	ddnetDecoder msg6.Decoder
	snapshot     snapshotEncoder
	buf          []byte
	world        *game.World             // the world shown in the current round of snapshots
	names        [game.MaxPlayers]string // names of the last players with these ids
	// profileChanges counts players who joined, left or changed their profile.
	profileChanges int
}

// NewProtocol returns the 0.7 protocol for one server.
func NewProtocol() *Protocol { return new(Protocol) }

// Name implements [bridge.Protocol].
func (p *Protocol) Name() string { return "0.7" }

// NetVersion implements [bridge.Protocol].
func (p *Protocol) NetVersion() string { return msg7.NetVersion }

// NeedsUncompressedTiles implements [bridge.Protocol].
func (p *Protocol) NeedsUncompressedTiles() bool { return false }

// RecordTick implements [bridge.Protocol].
func (p *Protocol) RecordTick(w *game.World, events []game.Event) {
	for i := range events {
		switch events[i].Kind {
		case game.EvPlayerEntered, game.EvPlayerLeft, game.EvSkinChange, game.EvProfileChange:
			p.profileChanges++
			if info, ok := w.Player(events[i].Player); ok {
				p.names[info.ID] = info.Profile.Name
			}
		}
	}
	p.snapshot.recordTick(w.Frame(), events)
}

// BeginSnapshots implements [bridge.Protocol].
func (p *Protocol) BeginSnapshots(w *game.World) {
	p.world = w
	p.snapshot.freezeTicks = w.DDRaceFreezeTicks()
	p.snapshot.beginRound(w.Frame())
}

// EndSnapshots implements [bridge.Protocol].
func (p *Protocol) EndSnapshots() { p.snapshot.endRound() }

// unusedID returns an id that no connected player has, if there is one.
func (p *Protocol) unusedID() game.PlayerID {
	for id := game.PlayerID(msg7.MaxClients - 1); id > 0 && p.world != nil; id-- {
		if _, used := p.world.Player(id); !used {
			return id
		}
	}
	return msg7.MaxClients - 1
}

// NewServerSide implements [bridge.Protocol].
func (p *Protocol) NewServerSide(s bridge.Session) bridge.ServerSide {
	return &serverSide{protocol: p, session: s, release: msg7.ClientVersion, ownID: game.Nobody, ids: newIDs()}
}

// newIDs returns the ids of a client. The client keeps the id of its own player.
func newIDs() clientids.Map { return clientids.New(msg7.MaxClients, true) }

// lastName returns the name of the last player with an id, even after the player left.
func (p *Protocol) lastName(id game.PlayerID) string {
	if id < 0 || id >= game.MaxPlayers {
		return ""
	}
	return p.names[id]
}

// serverSide implements [bridge.ServerSide]. All ServerSides of a protocol share its buffers.
type serverSide struct {
	protocol *Protocol
	session  bridge.Session
	input    bridge.InputMessage
	release  int32 // release that the client sent in INFO; the newest one before that
	paused   bool  // the client shows its own player as a spectator; see tellPause
	loggedIn bool  // whether INFO was received
	ddnet    ddnetClient
	ownID    game.PlayerID
	ids      clientids.Map
	told     toldPlayers
}

// clientCommands are the chat commands built into clients. A client refuses a server command of the
// same name.
var clientCommands = []string{"all", "friend", "m", "mute", "r", "w", "whisper"}

// teamCommand is also built into clients and writes to the team. DDNet-Server removes it from
// clients so that players can join a DDRace team with it.
const teamCommand = "team"

func (s *serverSide) SendChatCommand(c *bridge.CommandInfo) {
	if !slices.Contains(clientCommands, c.Name) {
		if c.Name == teamCommand {
			s.send(&msg7.SvCommandInfoRemove{Name: []byte(teamCommand)})
		}
		s.send(&msg7.SvCommandInfo{Name: []byte(c.Name), ArgsFormat: []byte(c.Params), HelpText: []byte(c.Help)})
	}
}

func (s *serverSide) SendChatCommandRemoved(name string) {
	if !slices.Contains(clientCommands, name) {
		s.send(&msg7.SvCommandInfoRemove{Name: []byte(name)})
	}
}

// itemSizes are the sizes of the snapshot items that client and server both know.
var itemSizes = snapshot.ItemSizes(msg7.Sizes)

// send converts a message for the client's release and sends it. If the release is too old for the
// message, send sends nothing and returns false. Messages that are equal for all releases may
// bypass send.
func (s *serverSide) send(m msg7.Message) bool {
	if !msg7.Fit(m, s.release) {
		return false
	}
	s.protocol.buf = m.Append(s.protocol.buf[:0])
	s.session.Queue(s.protocol.buf, true)
	return true
}

func (s *serverSide) Reset() {
	s.paused = false
	s.ids.Reset()
	s.told = toldPlayers{changes: s.ids.Changes()}
	s.ownID = game.Nobody
}

// tellPause shows the client its own player as a spectator while the player pauses in DDRace and
// looks around. A 0.7 client lets only spectators move the view. DDNet-Server does the same.
func (s *serverSide) tellPause(v *game.View) {
	if v.Game.Flags&game.GameFlagDDRace == 0 {
		return
	}
	for i := range v.Players {
		p := &v.Players[i]
		if p.ID != v.Viewer || (p.Pause != game.NotPaused) == s.paused {
			continue
		}
		s.paused = !s.paused
		m := msg7.SvTeam{ClientID: s.ids.ID(p.ID), Team: msg7.Team(p.Team), Silent: true, CooldownTick: v.Tick}
		if s.paused {
			m.Team = msg7.TeamSpectators
		}
		s.send(&m)
	}
}

// SendMapChange announces the map. The original client leaves a server whose map only has the name
// of an original map, so such a map gets another name.
func (s *serverSide) SendMapChange(m *bridge.Map) {
	s.sendCapabilities()
	name := m.Name
	if refusalReason(name, m.CRC, len(m.File)) != "" {
		name += "_6"
	}
	s.send(&msg7.MapChange{
		Name: []byte(name), CRC: int32(m.CRC), Size: int32(len(m.File)),
		ChunksPerRequest: int32(m.ChunksPerRequest), ChunkSize: msg7.MapChunkSize,
		SHA256: msg7.MapHash{Present: true, Sum: m.SHA256},
	})
}

func (s *serverSide) SendMapData(m *bridge.Map, chunk int) {
	from := chunk * msg7.MapChunkSize
	d := msg7.MapData{Data: m.File[from:min(from+msg7.MapChunkSize, len(m.File))]}
	s.protocol.buf = d.Append(s.protocol.buf[:0]) // through send, d would escape to the heap
	s.session.Queue(s.protocol.buf, true)
}

func (s *serverSide) MapChunkSize() int { return msg7.MapChunkSize }

func (s *serverSide) SendConReady() { s.send(&msg7.ConReady{}) }

func (s *serverSide) SendReadyToEnter() { s.send(&msg7.SvReadyToEnter{}) }

// SendServerInfo limits the counts to the number of ids, since the original client refuses others.
func (s *serverSide) SendServerInfo(info *bridge.ServerInfo) {
	r := msg7.InfoRecord{
		Version: []byte(info.Version), Name: []byte(info.Name), Hostname: []byte(info.Hostname),
		Map: []byte(info.Map), GameType: []byte(info.GameType), SkillLevel: info.SkillLevel,
		Players: min(info.Players, msg7.MaxClients), PlayerSlots: min(info.PlayerSlots, msg7.MaxClients),
		Clients: min(info.Clients, msg7.MaxClients), MaxClients: min(info.MaxClients, msg7.MaxClients),
	}
	if info.NeedsPassword {
		r.Flags |= msg7.ServerInfoPassword
	}
	if info.TimeScore {
		r.Flags |= msg7.ServerInfoTimeScore
	}
	s.send(&msg7.ServerInfo{Record: r})
}

func (s *serverSide) SendMotd(text string) { s.send(&msg7.SvMotd{Message: []byte(text)}) }

func (s *serverSide) SendEvent(w *game.World, ev *game.Event) {
	if s.sendUnknown(ev) {
		return
	}
	player, target := s.ids.ID(ev.Player), s.ids.ID(ev.Target)
	switch ev.Kind {
	case game.EvPlayerEntered:
		s.SendClientInfo(w, ev.Player, false, ev.Flag)
	case game.EvPlayerLeft:
		s.dropPlayer(player, ev.Text, ev.Flag)
	case game.EvTeamChange:
		s.send(&msg7.SvTeam{ClientID: player, Team: msg7.Team(ev.Team), Silent: ev.Flag, CooldownTick: ev.Tick})
	case game.EvChat:
		s.send(&msg7.SvChat{Mode: msg7.ChatMode(ev.Chat), ClientID: player, TargetID: target,
			Message: []byte(safetext.Truncate(ev.Text, bridge.MaxText))})
	case game.EvKill, game.EvKillFeed:
		s.sendKill(ev)
	case game.EvPickup:
		if ev.Weapon >= 0 {
			s.send(&msg7.SvWeaponPickup{Weapon: msg7.Weapon(ev.Weapon)})
		}
	case game.EvEmoticon:
		s.send(&msg7.SvEmoticon{ClientID: player, Emoticon: msg7.Emoticon(ev.Value)})
	case game.EvSkinChange:
		if p, ok := w.Player(ev.Player); ok {
			s.send(&msg7.SvSkinChange{ClientID: player, Skin: encodeSkin(&p.Profile.Skin)})
		}
	case game.EvProfileChange:
		// 0.7 has no message for a changed profile. Instead, the player silently leaves and
		// returns.
		s.dropPlayer(player, "", true)
		s.SendClientInfo(w, ev.Player, false, true)
	case game.EvGameInfo:
		s.send(&msg7.SvGameInfo{
			GameFlags: encodeGameFlags(w.GameFlags()), ScoreLimit: ev.Rules.ScoreLimit, TimeLimit: ev.Rules.TimeLimit,
			MatchNum: ev.Value, MatchCurrent: ev.Extra,
		})
	case game.EvServerSettings:
		s.sendSettings(ev.Rules, ev.Flag)
	case game.EvTuneParams:
		s.send(&msg7.SvTuneParams{Params: *ev.Tuning})
	case game.EvPlayerTuning:
		s.SendTuning(w, ev.Player)
	case game.EvGameMsg:
		m := msg7.SvGameMsg{Kind: msg7.GameMsgKind(ev.GameMsg)}
		switch ev.GameMsg {
		case game.GameMsgTeamAll, game.GameMsgTeamBalanceVictim, game.GameMsgCTFGrab:
			m.Params[0] = ev.Value
		case game.GameMsgGamePaused:
			m.Params[0] = player
		case game.GameMsgCTFCapture:
			m.Params = [3]int32{ev.Value, player, ev.Extra}
		}
		s.send(&m)
	case game.EvRaceFinish:
		if player < 0 || !s.send(&msg7.SvRaceFinish{
			ClientID: player, Time: ev.Value, Diff: ev.Extra,
			RecordPersonal: ev.Record != game.RecordNone, RecordServer: ev.Record == game.RecordOfAll,
		}) {
			s.sendServerChat(texts.RaceFinish(playerName(w, ev.Player), ev.Value))
		}
	case game.EvCheckpoint:
		s.send(&msg7.SvCheckpoint{Diff: ev.Value})
	case game.EvMotd:
		s.SendMotd(ev.Text)
	case game.EvBroadcast:
		s.send(&msg7.SvBroadcast{Message: []byte(safetext.Truncate(ev.Text, bridge.MaxText))})
	}
}

// encodeKillerOrTeam returns the number of a killer in messages. A player has the player's id. A
// killer who left is the team: -1 for red, -2 for blue.
func encodeKillerOrTeam(id game.PlayerID) int32 {
	if id < game.Nobody {
		return int32(id) + 1
	}
	return int32(id)
}

func playerName(w *game.World, id game.PlayerID) string {
	p, _ := w.Player(id)
	return p.Profile.Name
}

func encodeSkin(s *game.Skin) msg7.Skin {
	skin := msg7.Skin{UseCustomColors: s.UseCustomColors, Colors: s.PartColors}
	for i := range s.PartNames {
		skin.Parts[i] = []byte(s.PartNames[i])
	}
	return skin
}

func (s *serverSide) SendClientInfo(w *game.World, id game.PlayerID, self, silent bool) {
	info, ok := w.Player(id)
	if !ok {
		return
	}
	if self {
		if s.ownID != id && s.ids.IsActive() { // the player reclaimed an old seat
			s.ids.Reset()
		}
		s.ownID = id
		s.ids.Begin(id)
	}
	p, client := &info.Profile, s.ids.ID(id)
	if client < 0 {
		return
	}
	if old := s.told.players[client]; old != 0 && old != id+1 {
		s.dropPlayer(client, "", true)
	}
	s.told.players[client] = id + 1
	s.send(&msg7.SvClientInfo{
		ClientID: client, Local: self, Team: msg7.Team(info.Team),
		Name: []byte(p.Name), Clan: []byte(p.Clan), Country: p.Country, Skin: encodeSkin(&p.Skin), Silent: silent,
	})
}

// encodeGameFlags removes the flags that 0.7 does not define.
func encodeGameFlags(f game.GameFlags) msg7.GameFlags {
	return msg7.GameFlags(f &^ (game.GameFlagFNG | game.GameFlagDDRace | game.GameFlagNoWeakHook))
}

func (s *serverSide) SendGameInfo(w *game.World) {
	g := &w.Frame().Game
	s.send(&msg7.SvGameInfo{
		GameFlags: encodeGameFlags(g.Flags), ScoreLimit: g.ScoreLimit, TimeLimit: g.TimeLimit,
		MatchNum: g.MatchNum, MatchCurrent: g.MatchCurrent,
	})
}

func (s *serverSide) SendSettings(w *game.World) {
	r := w.Rules()
	s.sendSettings(&r, w.TeamsLocked())
}

func (s *serverSide) sendSettings(r *game.Rules, teamsLocked bool) {
	s.send(&msg7.SvServerSettings{
		KickVote: r.VoteKick, KickMin: min(r.VoteKickMin, msg7.MaxClients), SpecVote: r.VoteSpectate,
		TeamLock: teamsLocked, TeamBalance: r.TeamBalanceTime != 0, PlayerSlots: min(r.PlayerSlots, msg7.MaxClients),
	})
}

func (s *serverSide) SendTuning(w *game.World, id game.PlayerID) {
	s.send(&msg7.SvTuneParams{Params: w.PredictedTuning(id)})
}

func (s *serverSide) SendVoteOptionsCleared() { s.send(&msg7.SvVoteClearOptions{}) }

func (s *serverSide) SendVoteOptions(texts []string) {
	for len(texts) > 0 {
		n := min(len(texts), msg7.VoteOptionsPerMessage)
		m := msg7.SvVoteOptionListAdd{}
		for _, t := range texts[:n] {
			m.Descriptions = append(m.Descriptions, []byte(t))
		}
		s.send(&m)
		texts = texts[n:]
	}
}

func (s *serverSide) SendVoteOption(text string) {
	s.send(&msg7.SvVoteOptionAdd{Description: []byte(text)})
}

func (s *serverSide) SendVoteOptionRemoved(text string) {
	s.send(&msg7.SvVoteOptionRemove{Description: []byte(text)})
}

// maxVoteTimeout is the longest time of a vote in s. Clients reject longer times.
const maxVoteTimeout = 60

func (s *serverSide) SendVote(v *bridge.Vote) {
	description := v.Description
	if v.Kind == event.VoteKick || v.Kind == event.VoteSpectate {
		target := s.ids.ID(v.Target)
		if target < 0 {
			target = int32(v.Target)
		}
		description = fmt.Sprintf("%2d: %s", target, description)
	}
	caller := s.ids.ID(v.Caller)
	if caller < 0 && v.Timeout > 0 { // clients show no description for a vote without a caller
		if caller = s.ids.Spare(); !s.ids.IsActive() {
			caller = int32(s.protocol.unusedID())
		}
	}
	s.send(&msg7.SvVoteSet{
		ClientID: caller, Type: msg7.VoteType(v.Kind), Timeout: min(v.Timeout, maxVoteTimeout),
		Description: []byte(description), Reason: []byte(v.Reason),
	})
}

func (s *serverSide) SendVoteStatus(yes, no, pass, total int32) {
	clamp := func(n int32) int32 { return min(max(n, 0), msg7.MaxClients) }
	s.send(&msg7.SvVoteStatus{Yes: clamp(yes), No: clamp(no), Pass: clamp(pass), Total: clamp(total)})
}

func (s *serverSide) SendRconType(bool) {} // 0.7 has no such message

func (s *serverSide) SendRconAuthStatus(on bool) {
	if on {
		s.send(&msg7.RconAuthOn{})
	} else {
		s.send(&msg7.RconAuthOff{})
	}
}

func (s *serverSide) SendRconLine(line string) { s.send(&msg7.RconLine{Line: []byte(line)}) }

func (s *serverSide) SendRconCommand(c *bridge.CommandInfo) {
	s.send(&msg7.RconCmdAdd{Name: []byte(c.Name), Help: []byte(c.Help), Params: []byte(c.Params)})
}

func (s *serverSide) SendRconCommandRemoved(name string) {
	s.send(&msg7.RconCmdRem{Name: []byte(name)})
}

// SendRedirect sends nothing: 0.7 has no such message.
func (s *serverSide) SendRedirect(int) bool { return false }

func (s *serverSide) SendMapListEntry(name string) {
	s.send(&msg7.MaplistEntryAdd{Name: []byte(name)})
}

func (s *serverSide) SendMapListEntryRemoved(name string) {
	s.send(&msg7.MaplistEntryRem{Name: []byte(name)})
}

func (s *serverSide) BuildSnapshot(b *snapshot.Builder, v *game.View, latency *[game.MaxPlayers]int32) {
	s.updateIDs(v)
	s.tellPause(v)
	s.protocol.snapshot.knowsAim = s.ddnet.info != nil
	s.protocol.snapshot.buildSnapshot(b, s.ddnet.viewOf(v), latency, &s.ids, s.release, nil)
}

func (s *serverSide) ItemSizes() *snapshot.ItemSizes { return &itemSizes }

func (s *serverSide) SendSnapshotPart(h snapshot.PartHeader, part int, data []byte) {
	b, delta := s.protocol.buf[:0], h.Tick-h.BaseTick
	switch h.Parts {
	case 0:
		b = (&msg7.SnapEmpty{Tick: h.Tick, DeltaTick: delta}).Append(b)
	case 1:
		b = (&msg7.SnapSingle{Tick: h.Tick, DeltaTick: delta, CRC: h.CRC, Data: data}).Append(b)
	default:
		b = (&msg7.Snap{Tick: h.Tick, DeltaTick: delta, Parts: h.Parts, Part: int32(part), CRC: h.CRC, Data: data}).Append(b)
	}
	s.protocol.buf = b
	s.session.Queue(b, false)
}

// SendOtherInput returns false, because 0.7 has no such message.
func (s *serverSide) SendOtherInput(game.PlayerID, int32, *game.Input) bool { return false }

func (s *serverSide) SendInputTiming(tick, timeLeft int32) {
	m := msg7.InputTiming{IntendedTick: tick, TimeLeft: timeLeft}
	s.protocol.buf = m.Append(s.protocol.buf[:0])
	s.session.Queue(s.protocol.buf, false)
}
