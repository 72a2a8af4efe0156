package bridge7

import (
	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/message/msg7"
)

// Message takes a server's message. It returns what happened, and false for
// messages that tell of nothing in the game: those of the session, votes, the
// message of the day. To stays empty: what a client is told is for it. Texts are
// fit to be shown; see [bridge.Text].
func (l *Lift) Message(m msg7.Message) (game.Event, bool) {
	ev := game.Event{Player: game.Nobody, Target: game.Nobody}
	switch m := m.(type) {
	case *msg7.SvClientInfo:
		return l.clientInfo(m)
	case *msg7.SvClientDrop:
		l.roster[m.ClientID].InGame = false
		ev.Kind, ev.Player, ev.Text, ev.Flag = game.EvPlayerLeft, game.PlayerID(m.ClientID), bridge.Text(m.Reason), m.Silent
	case *msg7.SvTeam:
		if m.ClientID >= 0 {
			l.roster[m.ClientID].Team, l.roster[m.ClientID].TeamChangeTick = game.Team(m.Team), m.CooldownTick
		}
		ev.Kind, ev.Player, ev.Team, ev.Flag, ev.Tick = game.EvTeamChange, game.PlayerID(m.ClientID), game.Team(m.Team), m.Silent, m.CooldownTick
	case *msg7.SvChat:
		ev.Kind, ev.Player, ev.Target = game.EvChat, game.PlayerID(m.ClientID), game.PlayerID(m.TargetID)
		ev.Chat, ev.Text = game.ChatMode(m.Mode), bridge.Text(m.Message)
	case *msg7.SvKillMsg:
		ev.Kind, ev.Player, ev.Target = game.EvKill, killer(m.Killer), game.PlayerID(m.Victim)
		ev.Weapon, ev.Value = game.Weapon(m.Weapon), m.ModeSpecial
	case *msg7.SvWeaponPickup:
		ev.Kind, ev.Player, ev.Weapon, ev.Pickup = game.EvPickup, l.own, game.Weapon(m.Weapon), pickupOf(game.Weapon(m.Weapon))
	case *msg7.SvEmoticon:
		ev.Kind, ev.Player, ev.Value = game.EvEmoticon, game.PlayerID(m.ClientID), int32(m.Emoticon)
	case *msg7.SvSkinChange:
		showSkin(&l.roster[m.ClientID].Profile.Skin, &m.Skin)
		ev.Kind, ev.Player = game.EvSkinChange, game.PlayerID(m.ClientID)
	case *msg7.SvGameInfo:
		l.info = *m
		ev.Kind = game.EvGameInfo
	case *msg7.SvServerSettings:
		l.rules = bridge.Settings{
			VoteKick: m.KickVote, VoteKickMin: m.KickMin, VoteSpectate: m.SpecVote,
			TeamsLocked: m.TeamLock, TeamBalance: m.TeamBalance, PlayerSlots: m.PlayerSlots,
		}
		ev.Kind = game.EvServerSettings
	case *msg7.SvTuneParams:
		l.tuning = m.Params
		ev.Kind = game.EvTuneParams
	case *msg7.SvGameMsg:
		return notice(m), true
	case *msg7.SvBroadcast:
		ev.Kind, ev.Text = game.EvBroadcast, bridge.Lines(m.Message)
	default:
		return game.Event{}, false
	}
	return ev, true
}

// clientInfo takes who a player is. A client learns by it who it is itself, once.
func (l *Lift) clientInfo(m *msg7.SvClientInfo) (game.Event, bool) {
	r := &l.roster[m.ClientID]
	if m.Local && l.own == game.Nobody {
		l.own, l.view.Viewer, l.view.VitalsOf = r.ID, r.ID, r.ID
	}
	*r = game.PlayerInfo{ID: r.ID, InGame: true, Team: game.Team(m.Team), Silent: m.Silent}
	r.Profile = game.Profile{Name: bridge.Text(m.Name), Clan: bridge.Text(m.Clan), Country: m.Country}
	showSkin(&r.Profile.Skin, &m.Skin)
	return game.Event{Kind: game.EvPlayerEntered, Player: r.ID, Target: game.Nobody, Team: r.Team, Flag: m.Silent}, true
}

// killer undoes Killer. Of -1, which is the world as well as the red side, it
// makes the side: the original never means the world.
func killer(id int32) game.PlayerID {
	if id < 0 {
		id--
	}
	return game.PlayerID(id)
}

// pickupOf is the thing that is taken when a weapon is announced.
func pickupOf(w game.Weapon) game.PickupKind {
	return [game.NumWeapons]game.PickupKind{
		game.PickupHammer, game.PickupGun, game.PickupShotgun, game.PickupGrenade, game.PickupLaser, game.PickupNinja,
	}[w]
}

func notice(m *msg7.SvGameMsg) game.Event {
	ev := game.Event{Kind: game.EvGameMsg, Player: game.Nobody, Target: game.Nobody, GameMsg: game.GameMsg(m.Kind)}
	switch ev.GameMsg {
	case game.GameMsgTeamAll, game.GameMsgTeamBalanceVictim, game.GameMsgCTFGrab:
		ev.Value = m.Params[0]
	case game.GameMsgGamePaused:
		ev.Player = playerOf(m.Params[0])
	case game.GameMsgCTFCapture:
		ev.Value, ev.Player, ev.Extra = m.Params[0], playerOf(m.Params[1]), m.Params[2]
	}
	return ev
}

// playerOf is a client id that no range check has seen.
func playerOf(v int32) game.PlayerID {
	if v < 0 || v >= game.MaxPlayers {
		return game.Nobody
	}
	return game.PlayerID(v)
}

func showSkin(dst *game.Skin, s *msg7.Skin) {
	for i := range dst.PartNames {
		dst.PartNames[i] = bridge.Text(s.Parts[i])
		dst.UseCustomColors[i] = s.UseCustomColors[i]
		dst.PartColors[i] = s.Colors[i]
	}
}
