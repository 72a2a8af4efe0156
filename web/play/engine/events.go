package engine

import (
	"encoding/hex"
	"strconv"
	"unicode/utf8"

	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
)

// object writes a JSON object. Package encoding/json would add a tenth to the size of the program,
// and inlining of the methods another hundredth.
type object []byte

// newObject begins an object with the name of an event.
func newObject(name string) *object {
	o := object(`{"event":`)
	o.quote(name)
	return &o
}

func (o *object) key(name string) {
	*o = append(append(append(*o, `,"`...), name...), `":`...)
}

// close ends the object.
func (o *object) close() *object {
	*o = append(*o, '}')
	return o
}

//go:noinline
func (o *object) text(name, value string) *object {
	o.key(name)
	o.quote(value)
	return o
}

//go:noinline
func (o *object) number(name string, value int) *object {
	o.key(name)
	*o = strconv.AppendInt(*o, int64(value), 10)
	return o
}

//go:noinline
func (o *object) flag(name string, value bool) *object {
	o.key(name)
	*o = strconv.AppendBool(*o, value)
	return o
}

// player adds the id and the name of a player.
//
//go:noinline
func (o *object) player(name string, p event.Player) *object {
	return o.number(name, int(p.ID)).text(name+"_name", p.Name)
}

func (o *object) skin(s *game.Skin) *object {
	o.key("skin")
	*o = append(*o, '[')
	for i, part := range s.PartNames {
		if i > 0 {
			*o = append(*o, ',')
		}
		*o = append(*o, '[')
		o.quote(part)
		*o = append(*o, ',')
		*o = strconv.AppendBool(*o, s.UseCustomColors[i])
		*o = append(*o, ',')
		*o = append(strconv.AppendInt(*o, int64(s.PartColors[i]), 10), ']')
	}
	*o = append(*o, ']')
	return o
}

// quote adds a text as a JSON string.
func (o *object) quote(s string) {
	b := append(*o, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r < ' ' || r == 0x7f || r == 0x2028 || r == 0x2029:
			b = append(b, '\\', 'u', hexDigits[r>>12&15], hexDigits[r>>8&15], hexDigits[r>>4&15], hexDigits[r&15])
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	*o = append(b, '"')
}

const hexDigits = "0123456789abcdef"

// appendEvent appends an event as JSON, with the names and fields of package event, but players as
// two fields: id and name. It returns nil for an event that the page does not need: the viewer's
// modules read chat, kills, emoticons and votes from messages.
func appendEvent(ev event.Event) *object {
	switch e := ev.(type) {
	case event.MapAnnounced:
		return newObject("map_announced").text("map", e.Map).text("sha256", e.SHA256).number("size", e.Size).
			text("crc", hex.EncodeToString([]byte{byte(e.CRC >> 24), byte(e.CRC >> 16), byte(e.CRC >> 8), byte(e.CRC)}))
	case event.Download:
		return newObject("download").text("map", e.Map).number("done", e.Done).number("size", e.Size)
	case event.Entered:
		return newObject("entered").text("map", e.Map).player("self", e.Self)
	case event.Disconnected:
		return newObject("disconnected").text("reason", e.Text)
	case event.RconAuth:
		return newObject("rcon_auth").flag("on", e.On)
	case event.RconLine:
		return newObject("rcon_line").text("text", e.Text)
	case event.RconCommand:
		return newObject("rcon_command").text("name", e.Name).text("params", e.Params).text("help", e.Help).flag("removed", e.Removed)
	case event.RconType:
		return newObject("rcon_type").flag("name_required", e.NameRequired)
	case event.ChatCommand:
		return newObject("chat_command").text("name", e.Name).text("params", e.Params).text("help", e.Help).flag("removed", e.Removed)
	case event.MapEntry:
		return newObject("map_entry").text("map", e.Map).flag("removed", e.Removed)
	case event.VoteOptionEntry:
		return newObject("vote_option_entry").text("option", e.Option).flag("removed", e.Removed)
	case event.VoteOptionsCleared:
		return newObject("vote_options_cleared")
	case event.VoteStart:
		return newObject("vote_start").player("by", e.By).text("what", e.What).text("reason", e.Reason).number("seconds", int(e.Time.Seconds()))
	case event.VoteCount:
		return newObject("vote_count").number("yes", e.Yes).number("no", e.No).number("pass", e.Pass).number("total", e.Total)
	case event.VoteEnd:
		return newObject("vote_end").flag("passed", e.Passed).flag("aborted", e.Aborted)
	case event.OwnVote:
		return newObject("own_vote").number("choice", int(e.Choice))
	default:
		return appendGameEvent(ev)
	}
}

// appendGameEvent is appendEvent for the events of the game.
func appendGameEvent(ev event.Event) *object {
	switch e := ev.(type) {
	case event.ServerInfo:
		return newObject("server_info").text("name", e.Name).text("map", e.Map).text("gametype", e.GameType).text("version", e.Version)
	case event.Chat:
		return newObject("chat").player("from", e.From).player("to", e.To).text("mode", e.Mode.String()).text("text", e.Text)
	case event.Joined:
		return newObject("joined").player("player", e.Player).number("team", int(e.Player.Team)).skin(&e.Skin).
			flag("self", e.Self).flag("known", e.Known).flag("quiet", e.Quiet)
	case event.Left:
		return newObject("left").player("player", e.Player).text("reason", e.Reason).flag("quiet", e.Quiet)
	case event.TeamChange:
		return newObject("team_change").player("player", e.Player).number("team", int(e.Player.Team)).
			number("cooldown_tick", int(e.CooldownTick)).flag("quiet", e.Quiet)
	case event.SkinChange:
		return newObject("skin_change").player("player", e.Player).skin(&e.Skin)
	case event.PickedUp:
		return newObject("picked_up").number("weapon", int(e.Weapon))
	case event.Notice:
		return newObject("notice").text("kind", e.Kind.String()).player("player", e.Player).number("team", int(e.Team)).text("text", e.Text)
	case event.Broadcast:
		return newObject("broadcast").text("text", e.Text)
	case event.Motd:
		return newObject("motd").text("text", e.Text)
	case event.GameInfo:
		return newObject("game_info").number("flags", int(e.Flags)).number("score_limit", int(e.ScoreLimit)).number("time_limit", int(e.TimeLimit)).
			number("match", int(e.Match)).number("matches", int(e.Matches))
	case event.Settings:
		return newObject("settings").flag("vote_kick", e.VoteKick).number("vote_kick_min", int(e.VoteKickMin)).flag("vote_spectate", e.VoteSpectate).
			flag("teams_locked", e.TeamsLocked).flag("team_balance", e.TeamBalance).number("player_slots", int(e.PlayerSlots))
	case event.RaceFinish:
		return newObject("race_finish").player("player", e.Player).number("milliseconds", int(e.Time)).number("diff", int(e.Diff)).
			flag("record", e.Record).flag("personal", e.Personal)
	case event.Checkpoint:
		return newObject("checkpoint").player("player", e.Player).number("diff", int(e.Diff)).number("milliseconds", int(e.Time))
	case event.RaceTime:
		return newObject("race_time").number("milliseconds", int(e.Time)).number("diff", int(e.Diff)).flag("finish", e.Finish)
	case event.RaceRecords:
		return newObject("race_records").number("best", int(e.Best)).number("own", int(e.Own))
	case event.DDRaceTeam:
		return newObject("race_team").player("player", e.Player).number("race_team", int(e.Team))
	case event.Sound:
		return newObject("sound").number("sound", int(e.Sound))
	case event.Alert:
		return newObject("alert").text("text", e.Text).flag("moderator", e.Moderator)
	case event.Redirect:
		return newObject("redirect").number("port", int(e.Port))
	case event.Capabilities:
		return newObject("capabilities").flag("ddnet", e.DDNet).flag("allow_dummy", e.AllowDummy)
	}
	return nil
}
