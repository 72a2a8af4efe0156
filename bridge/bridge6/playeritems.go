package bridge6

import (
	"github.com/teeyard/teeyard/bridge/internal/clientids"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// playerItem is one player, encoded for snapshots.
type playerItem struct {
	info              [msg6.SizePlayerInfo]int32
	ddnet             [sizeDDNetPlayer]int32
	infoRef, ddnetRef snapshot.SharedRef
}

// buildPlayers adds the players. The client of a player who is out of the round and watches sees
// that player as a spectator. 0.6 has no other way to show this, except for pauses since DDNet
// 16.0.
func (e *snapshotEncoder) buildPlayers(b *snapshot.Builder, v *game.View, latency *[game.MaxPlayers]int32, ids *clientids.Map, version int32) {
	if ids.IsActive() {
		var list [clientids.MaxLimit]knownPlayer
		known := e.appendKnown(list[:0], ids)
		for _, k := range known {
			e.buildPlayer(b, v, latency, k.player, k.id, version)
		}
		for _, k := range known {
			info := &e.skins.infos[k.player.ID]
			if k.id == int32(k.player.ID) {
				b.AddShared(&info.ref, msg6.TypeClientInfo, int(k.id), info.ints[:])
			} else {
				copy(b.Add(msg6.TypeClientInfo, int(k.id), msg6.SizeClientInfo), info.ints[:])
			}
		}
	} else {
		for i := range e.frame.Players {
			p := &e.frame.Players[i]
			e.buildPlayer(b, v, latency, p, int32(p.ID), version)
		}
		for i := range e.frame.Players {
			info := &e.skins.infos[e.frame.Players[i].ID]
			b.AddShared(&info.ref, msg6.TypeClientInfo, int(e.frame.Players[i].ID), info.ints[:])
		}
	}
	if ids.IsActive() {
		copy(b.Add(msg6.TypeClientInfo, int(ids.Spare()), msg6.SizeClientInfo), proxyInfo[:])
	}
	if v.Viewer == game.Nobody || e.playerIndex[v.Viewer] < 0 {
		return
	}
	p := &e.frame.Players[e.playerIndex[v.Viewer]]
	if id := ids.ID(p.ID); id >= 0 && p.Spectating {
		o := msg6.SpectatorInfo{SpectatorID: -1, X: p.ViewX, Y: p.ViewY}
		if p.SpecMode != game.SpectateFree {
			o.SpectatorID = max(ids.ID(p.SpectatorID), -1)
		}
		if dst := b.Add(msg6.TypeSpectatorInfo, int(id), msg6.SizeSpectatorInfo); dst != nil {
			o.PutInts(dst)
		}
	}
}

func (e *snapshotEncoder) buildPlayer(b *snapshot.Builder, v *game.View, latency *[game.MaxPlayers]int32, p *game.PlayerState, id, version int32) {
	if item := &e.players[p.ID]; id == int32(p.ID) && p.ID != v.Viewer && latency[p.ID] == 0 {
		b.AddShared(&item.infoRef, msg6.TypePlayerInfo, int(id), item.info[:])
		return
	}
	dst := b.Add(msg6.TypePlayerInfo, int(id), msg6.SizePlayerInfo)
	if dst == nil {
		return
	}
	o := e.encodePlayer(p, id)
	o.Latency = latency[p.ID]
	if p.ID == v.Viewer {
		o.Local = 1
		if p.Spectating && (p.Pause == game.NotPaused || version < msg6.VersionSpectatorsTeam) {
			o.Team = msg6.TeamSpectators
		}
	}
	o.PutInts(dst)
}

// encodePlayer returns a player as others see it, without the latency.
func (e *snapshotEncoder) encodePlayer(p *game.PlayerState, id int32) msg6.PlayerInfo {
	o := msg6.PlayerInfo{ClientID: id, Team: msg6.Team(p.Team), Score: p.Score}
	if e.isRace {
		o.Score = encodeTimeScore(p.Score)
	}
	return o
}

// noTimeScore is the score of a player without a race time.
const noTimeScore = -9999

// encodeTimeScore converts a race time in ms to a score: the negative seconds, so that faster
// players rank higher.
func encodeTimeScore(ms int32) int32 {
	if ms < 0 {
		return noTimeScore
	}
	return -ms / 1000
}

// knownPlayer is a player that a client knows, with the client's id for it.
type knownPlayer struct {
	player *game.PlayerState
	id     int32
}

// appendKnown appends the players that a client with mapped ids knows, in the order of its ids.
func (e *snapshotEncoder) appendKnown(dst []knownPlayer, ids *clientids.Map) []knownPlayer {
	for id, p := range ids.Players() {
		if p != game.Nobody && e.playerIndex[p] >= 0 {
			dst = append(dst, knownPlayer{&e.frame.Players[e.playerIndex[p]], int32(id)})
		}
	}
	return dst
}
