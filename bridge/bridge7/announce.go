package bridge7

import (
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/message/msg7"
)

// Announcer turns what happens into game messages. The zero value is ready.
type Announcer struct {
	buf []byte
}

// Event returns the message that announces ev and for whom it is; nil if 0.7
// has none. The message is valid until the next call. What EvPlayerEntered leads to
// depends on the receiver: see Welcome and ClientInfo.
func (a *Announcer) Event(w *game.World, ev *game.Event) ([]byte, game.PlayerMask) {
	to := ev.To
	switch ev.Kind {
	case game.EvPlayerLeft:
		return a.msg(&msg7.SvClientDrop{ClientID: int32(ev.Player), Reason: []byte(ev.Text), Silent: ev.Flag}), to
	case game.EvTeamChange:
		return a.msg(&msg7.SvTeam{ClientID: int32(ev.Player), Team: msg7.Team(ev.Team), Silent: ev.Flag, CooldownTick: ev.Tick}), to
	case game.EvChat:
		return a.msg(&msg7.SvChat{Mode: msg7.ChatMode(ev.Chat), ClientID: int32(ev.Player), TargetID: int32(ev.Target), Message: []byte(ev.Text)}), to
	case game.EvKill:
		return a.msg(&msg7.SvKillMsg{Killer: Killer(ev.Player), Victim: int32(ev.Target), Weapon: msg7.Weapon(ev.Weapon), ModeSpecial: ev.Value}), to
	case game.EvPickup:
		if ev.Weapon < 0 {
			return nil, 0
		}
		return a.msg(&msg7.SvWeaponPickup{Weapon: msg7.Weapon(ev.Weapon)}), to
	case game.EvEmoticon:
		return a.msg(&msg7.SvEmoticon{ClientID: int32(ev.Player), Emoticon: msg7.Emoticon(ev.Value)}), to
	case game.EvSkinChange:
		p, ok := w.Player(ev.Player)
		if !ok {
			return nil, 0
		}
		m := msg7.SvSkinChange{ClientID: int32(ev.Player)}
		putSkin(&m.Skin, &p.Profile.Skin)
		return a.msg(&m), to
	case game.EvGameInfo:
		return a.GameInfo(w), to
	case game.EvServerSettings:
		return a.Settings(w), to
	case game.EvTuneParams:
		return a.Tuning(w), to
	case game.EvGameMsg:
		m := msg7.SvGameMsg{Kind: msg7.GameMsgKind(ev.GameMsg)}
		switch ev.GameMsg {
		case game.GameMsgTeamAll, game.GameMsgTeamBalanceVictim, game.GameMsgCTFGrab:
			m.Params[0] = ev.Value
		case game.GameMsgGamePaused:
			m.Params[0] = int32(ev.Player)
		case game.GameMsgCTFCapture:
			m.Params = [3]int32{ev.Value, int32(ev.Player), ev.Extra}
		}
		return a.msg(&m), to
	case game.EvBroadcast:
		return a.msg(&msg7.SvBroadcast{Message: []byte(ev.Text)}), to
	}
	return nil, 0
}

// Killer is how 0.7 names who killed: a player, or below zero the side of one
// who left, -1 red, -2 blue.
func Killer(id game.PlayerID) int32 {
	if id < game.Nobody {
		return int32(id) + 1
	}
	return int32(id)
}

// SendGameInfo is the Sv_GameInfo of now.
func (a *Announcer) GameInfo(w *game.World) []byte {
	g := &w.Frame().Game
	return a.msg(&msg7.SvGameInfo{
		GameFlags: msg7.GameFlags(g.Flags), ScoreLimit: g.ScoreLimit, TimeLimit: g.TimeLimit,
		MatchNum: g.MatchNum, MatchCurrent: g.MatchCurrent,
	})
}

// Settings is the Sv_ServerSettings of now.
func (a *Announcer) Settings(w *game.World) []byte {
	r := w.Rules()
	return a.msg(&msg7.SvServerSettings{
		KickVote: r.VoteKick, KickMin: r.VoteKickMin, SpecVote: r.VoteSpectate,
		TeamLock: w.TeamsLocked(), TeamBalance: r.TeamBalanceTime != 0, PlayerSlots: r.PlayerSlots,
	})
}

// Tuning is the Sv_TuneParams of now.
func (a *Announcer) Tuning(w *game.World) []byte {
	return a.msg(&msg7.SvTuneParams{Params: w.Tuning()})
}

// ClientInfo is the Sv_ClientInfo that tells about a player; nil if there is
// none. Local is set for the one the message is about.
func (a *Announcer) ClientInfo(w *game.World, about game.PlayerID, local, silent bool) []byte {
	info, ok := w.Player(about)
	if !ok {
		return nil
	}
	p := &info.Profile
	m := msg7.SvClientInfo{
		ClientID: int32(about), Local: local, Team: msg7.Team(info.Team),
		Name: []byte(p.Name), Clan: []byte(p.Clan), Country: p.Country, Silent: silent,
	}
	putSkin(&m.Skin, &p.Skin)
	return a.msg(&m)
}

// Motd is an Sv_Motd.
func (a *Announcer) Motd(text string) []byte { return a.msg(&msg7.SvMotd{Message: []byte(text)}) }

// SendVoteOptionsCleared empties the clients' lists of votes.
func (a *Announcer) VoteClear() []byte { return a.msg(&msg7.SvVoteClearOptions{}) }

// SendReadyToEnter answers a profile.
func (a *Announcer) ReadyToEnter() []byte { return a.msg(&msg7.SvReadyToEnter{}) }

func (a *Announcer) msg(m msg7.Message) []byte {
	a.buf = m.Append(a.buf[:0])
	return a.buf
}

func putSkin(dst *msg7.Skin, s *game.Skin) {
	for i := range s.PartNames {
		dst.Parts[i] = []byte(s.PartNames[i])
		dst.UseCustomColors[i] = s.UseCustomColors[i]
		dst.Colors[i] = s.PartColors[i]
	}
}
