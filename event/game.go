package event

import (
	"fmt"
	"strings"

	"github.com/teeyard/teeyard/game"
)

// Source provides data that game.Event does not contain.
type Source interface {
	// EventPlayer returns the player with an id, or the last player who had it. For an invalid id
	// it returns a Player without a player (ID -1).
	EventPlayer(id game.PlayerID) Player
	// EventProfile returns the profile of that player. Its texts are safe to show.
	EventProfile(id game.PlayerID) game.Profile
	// EventSelf returns the client's own player, or -1 (game.Nobody) if there is none.
	EventSelf() game.PlayerID
	// GameInfo returns the limits and the number of the match.
	GameInfo() game.GameState
	// EventSettings returns the settings that clients show.
	EventSettings() Settings
	// EventTuning returns the tuning of the world. In a client it is the last one received.
	EventTuning() Tuning
}

// FromGame returns the event for clients that corresponds to ev, or nil if there is none, as for
// visual effects and sounds. Texts of ev must be safe to show.
func FromGame(ev *game.Event, src Source) Event {
	switch ev.Kind {
	case game.EvPlayerEntered:
		p := src.EventProfile(ev.Player)
		return Joined{
			Player: src.EventPlayer(ev.Player), Country: p.Country, Skin: p.Skin, Quiet: ev.Flag,
			Self: ev.Player != game.Nobody && ev.Player == src.EventSelf(),
		}
	case game.EvPlayerLeft:
		return Left{Player: src.EventPlayer(ev.Player), Reason: ev.Text, Quiet: ev.Flag}
	case game.EvTeamChange:
		return TeamChange{Player: src.EventPlayer(ev.Player), CooldownTick: ev.Tick, Quiet: ev.Flag}
	case game.EvChat:
		return Chat{From: src.EventPlayer(ev.Player), To: src.EventPlayer(ev.Target), Mode: ev.Chat, Text: ev.Text}
	case game.EvKill:
		kill := Kill{Killer: src.EventPlayer(ev.Player), Victim: src.EventPlayer(ev.Target), Weapon: ev.Weapon, Special: ev.Value}
		if team := -2 - game.Team(ev.Player); team == game.TeamRed || team == game.TeamBlue {
			kill.KillerLeft, kill.Killer.Team = true, team
		}
		return kill
	case game.EvPickup:
		if ev.Weapon >= game.WeaponHammer {
			return PickedUp{Player: src.EventPlayer(ev.Player), Weapon: ev.Weapon}
		}
	case game.EvEmoticon:
		return Emoticon{Player: src.EventPlayer(ev.Player), Emoticon: game.Emoticon(ev.Value)}
	case game.EvSkinChange:
		return SkinChange{Player: src.EventPlayer(ev.Player), Skin: src.EventProfile(ev.Player).Skin}
	case game.EvGameInfo:
		g := src.GameInfo()
		return GameInfo{Flags: g.Flags, ScoreLimit: g.ScoreLimit, TimeLimit: g.TimeLimit, Match: g.MatchCurrent, Matches: g.MatchNum}
	case game.EvServerSettings:
		if ev.Rules != nil {
			return SettingsOf(ev.Rules, ev.Flag)
		}
		return src.EventSettings()
	case game.EvTuneParams:
		return src.EventTuning()
	case game.EvGameMsg:
		who, team := src.EventPlayer(ev.Player), game.Team(min(max(ev.Value, -1), 1))
		return Notice{Kind: ev.GameMsg, Player: who, Team: team, Ticks: ev.Extra, Text: noticeText(ev, who.Name, teamNames[team])}
	case game.EvRaceFinish:
		return RaceFinish{
			Player: src.EventPlayer(ev.Player), Time: ev.Value, Diff: ev.Extra,
			Record: ev.Record == game.RecordOfAll, Personal: ev.Record != game.RecordNone,
		}
	case game.EvCheckpoint:
		return Checkpoint{Player: src.EventPlayer(ev.Player), Diff: ev.Value, Time: ev.Extra}
	case game.EvDDRaceTeam:
		return DDRaceTeam{Player: src.EventPlayer(ev.Player), Team: ev.Value}
	case game.EvBroadcast:
		return Broadcast{Text: unescapeLines(ev.Text)}
	}
	return nil
}

// SettingsOf returns the part of the rules that clients show.
func SettingsOf(r *game.Rules, teamsLocked bool) Settings {
	return Settings{
		VoteKick: r.VoteKick, VoteKickMin: r.VoteKickMin, VoteSpectate: r.VoteSpectate,
		TeamsLocked: teamsLocked, TeamBalance: r.TeamBalanceTime != 0, PlayerSlots: r.PlayerSlots,
	}
}

// NewMotd returns the event for a message of the day in which \n stands for a line break, as
// operators write it.
func NewMotd(text string) Motd { return Motd{Text: unescapeLines(text)} }

func unescapeLines(text string) string { return strings.ReplaceAll(text, `\n`, "\n") }

var teamNames = map[game.Team]string{game.TeamSpectators: "spectators", game.TeamRed: "red team", game.TeamBlue: "blue team"}

// noticeText returns the line that players see.
func noticeText(ev *game.Event, name, team string) string {
	switch ev.GameMsg {
	case game.GameMsgTeamSwap:
		return "The teams were swapped"
	case game.GameMsgSpecInvalidID:
		return "This player cannot be watched"
	case game.GameMsgTeamShuffle:
		return "The teams were shuffled"
	case game.GameMsgTeamBalance:
		return "The teams were balanced"
	case game.GameMsgCTFDrop:
		return "A flag was dropped"
	case game.GameMsgCTFReturn:
		return "A flag was returned"
	case game.GameMsgTeamAll:
		return "All players were moved to the " + team
	case game.GameMsgTeamBalanceVictim:
		return "You were moved to the " + team + " for balance"
	case game.GameMsgCTFGrab:
		return "The flag of the " + team + " was taken"
	case game.GameMsgCTFCapture:
		return fmt.Sprintf("%s captured the flag of the %s after %.2f s", name, team, float64(ev.Extra)/game.TickRate)
	case game.GameMsgGamePaused:
		return "The game was paused by " + name
	}
	return ""
}
