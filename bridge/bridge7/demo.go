package bridge7

import (
	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/bridge/internal/offline"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// demoSide is the ServerSide of a demo. A client that plays a demo ignores the messages
// Sv_ClientInfo, Sv_ClientDrop, Sv_SkinChange, Sv_GameInfo and Sv_TuneParams. The client reads the
// same facts from objects in the snapshots. From De_ClientEnter and De_ClientLeave it writes the
// lines about players who join and leave.
type demoSide struct {
	serverSide
	players [game.MaxPlayers]recordedPlayer
	// infos are the encoded De_ClientInfo objects of the players in shown, valid once infosMade is
	// set. Viewer is the player whose view the demo records.
	infos     [game.MaxPlayers][msg7.SizeDeClientInfo]int32
	infosMade bool
	shown     game.PlayerMask
	viewer    game.PlayerID
	// source is the recorded game; nil means the protocol's world.
	source demoSource
	// profileChanges is the protocol's counter at the time when infos were encoded.
	profileChanges int
}

// demoSource is a game to record: a world, or a client's view of one.
type demoSource interface {
	Player(game.PlayerID) (game.PlayerInfo, bool)
	PredictedTuning(viewer game.PlayerID) game.Tuning
}

func (s *demoSide) recorded() demoSource {
	if s.source != nil {
		return s.source
	}
	return s.protocol.world
}

// recordedPlayer is a player as encoded in De_ClientInfo.
type recordedPlayer struct {
	profile game.Profile
	team    game.Team
}

// NewDemoSide implements [bridge.Protocol].
func (p *Protocol) NewDemoSide(s bridge.Sender) bridge.ServerSide {
	return &demoSide{serverSide: serverSide{protocol: p, session: offline.Session{Sender: s}, release: msg7.ClientVersion, ownID: game.Nobody, ids: newIDs()}}
}

func (s *demoSide) Receive([]byte, bool) error { return bridge.ErrBadMessage }

func (s *demoSide) SendClientInfo(*game.World, game.PlayerID, bool, bool) {}

func (s *demoSide) SendGameInfo(*game.World) {}

func (s *demoSide) SendTuning(*game.World, game.PlayerID) {}

func (s *demoSide) SendEvent(w *game.World, ev *game.Event) {
	switch ev.Kind {
	case game.EvPlayerEntered:
		if info, ok := w.Player(ev.Player); ok {
			s.players[ev.Player].profile = info.Profile
		}
		if !ev.Flag {
			s.send(&msg7.DeClientEnter{Name: []byte(s.name(ev.Player)), ClientID: s.idOrSpare(ev.Player), Team: msg7.Team(ev.Team)})
		}
	case game.EvPlayerLeft:
		if !ev.Flag {
			s.send(&msg7.DeClientLeave{Name: []byte(s.name(ev.Player)), ClientID: s.idOrSpare(ev.Player), Reason: []byte(ev.Text)})
		}
	case game.EvSkinChange, game.EvProfileChange, game.EvGameInfo, game.EvTuneParams, game.EvPlayerTuning:
	default:
		s.serverSide.SendEvent(w, ev)
	}
}

// idOrSpare returns the id of a player in the demo, or the id that no player has.
func (s *demoSide) idOrSpare(p game.PlayerID) int32 {
	if id := s.ids.ID(p); id >= 0 {
		return id
	}
	return s.ids.Spare()
}

// name returns a player's name, even after the player left.
func (s *demoSide) name(id game.PlayerID) string { return s.players[id].profile.Name }

func (s *demoSide) BuildSnapshot(b *snapshot.Builder, v *game.View, latency *[game.MaxPlayers]int32) {
	s.ids.Update(v)
	s.updateInfos(v)
	s.protocol.snapshot.knowsAim = false
	s.protocol.snapshot.buildSnapshot(b, v, latency, &s.ids, s.release, s)
}

// updateInfos encodes the De_ClientInfo objects again if a player changed.
func (s *demoSide) updateInfos(v *game.View) {
	source, shown := s.recorded(), game.PlayerMask{}
	changed := !s.infosMade || s.viewer != v.Viewer || s.profileChanges != s.protocol.profileChanges
	for i := range v.Players {
		p := &v.Players[i]
		if shown.Add(p.ID); p.Team != s.players[p.ID].team {
			changed = true
		}
	}
	if !changed && shown == s.shown {
		return
	}
	s.profileChanges = s.protocol.profileChanges
	for i := range v.Players {
		info, _ := source.Player(v.Players[i].ID)
		s.players[info.ID] = recordedPlayer{info.Profile, info.Team}
		s.protocol.names[info.ID] = info.Profile.Name
	}
	s.shown, s.viewer = shown, v.Viewer
	for id := range game.PlayerID(game.MaxPlayers) {
		if shown.Has(id) {
			o := s.clientInfo(id)
			o.PutInts(s.infos[id][:])
		}
	}
	s.infosMade = true
}

func (s *demoSide) clientInfo(id game.PlayerID) (o msg7.DeClientInfo) {
	p := &s.players[id]
	o.SetClient(&msg7.SvClientInfo{
		Local: id == s.viewer, Team: msg7.Team(p.team),
		Name: []byte(p.profile.Name), Clan: []byte(p.profile.Clan), Country: p.profile.Country, Skin: encodeSkin(&p.profile.Skin),
	})
	return o
}

// buildInfos adds the objects that replace messages.
func (s *demoSide) buildInfos(b *snapshot.Builder) {
	for id := range game.PlayerID(game.MaxPlayers) {
		if s.shown.Has(id) {
			copy(b.Add(msg7.TypeDeClientInfo, int(s.ids.ID(id)), msg7.SizeDeClientInfo), s.infos[id][:])
		}
	}
	g := &s.protocol.snapshot.frame.Game
	if dst := b.Add(msg7.TypeDeGameInfo, 0, msg7.SizeDeGameInfo); dst != nil {
		o := msg7.DeGameInfo{
			GameFlags: encodeGameFlags(g.Flags), ScoreLimit: g.ScoreLimit, TimeLimit: g.TimeLimit,
			MatchNum: g.MatchNum, MatchCurrent: g.MatchCurrent,
		}
		o.PutInts(dst)
	}
	if dst := b.Add(msg7.TypeDeTuneParams, 0, msg7.SizeDeTuneParams); dst != nil {
		o := msg7.DeTuneParams{Params: s.recorded().PredictedTuning(s.viewer)}
		o.PutInts(dst)
	}
}
