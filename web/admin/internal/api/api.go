// Package api has the types of the JSON values that the HTTP API of the admin page receives and
// sends. The OpenAPI document is generated from them.
package api

import (
	"fmt"
	"strconv"
	"time"

	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
)

// Failure is the answer to a request that failed.
type Failure struct {
	Error string `json:"error" doc:"Description of the error"`
}

// Done is the empty answer to a request that succeeded.
type Done struct{}

// LoginRequest signs an operator in.
type LoginRequest struct {
	Password string `json:"password" doc:"Password of the remote console: sv_rcon_password, sv_rcon_mod_password or sv_rcon_helper_password"`
}

// Me describes the signed-in operator and the server.
type Me struct {
	Level   string `json:"level" doc:"admin, moderator or helper"`
	Name    string `json:"name,omitempty" doc:"Name of the token"`
	Server  string `json:"server" doc:"Name of the server"`
	Version string `json:"version" doc:"Version of the server program"`
	Live    bool   `json:"live" doc:"Whether the match can be watched without delay, at /admin/live"`
}

// Player is a client or a bot.
type Player struct {
	ID       int       `json:"id"`
	State    string    `json:"state" doc:"in game, connecting, timed out or bot"`
	Name     string    `json:"name"`
	Clan     string    `json:"clan,omitempty"`
	Country  int       `json:"country"`
	Team     game.Team `json:"team" doc:"spectators, red (also all players of a game without teams) or blue"`
	Score    int       `json:"score"`
	Latency  int       `json:"latency" doc:"In milliseconds"`
	Address  string    `json:"address,omitempty" doc:"Only for operators who may run status"`
	Version  string    `json:"version,omitempty" doc:"Version of the client"`
	Since    time.Time `json:"since,omitzero" doc:"Time of connecting"`
	Level    string    `json:"level,omitempty" doc:"admin, moderator or helper, if logged in to the remote console"`
	MutedFor int       `json:"muted_for,omitempty" doc:"Seconds until the player may use the chat again"`
}

// Players is the list of players.
type Players struct {
	Players []Player `json:"players"`
}

// Visit is the stay of a client, past or present.
type Visit struct {
	Name    string    `json:"name" doc:"The last name, if there were several"`
	Clan    string    `json:"clan,omitempty"`
	Address string    `json:"address,omitempty" doc:"Only for operators who may run status"`
	Version string    `json:"version,omitempty"`
	From    time.Time `json:"from"`
	Until   time.Time `json:"until,omitzero" doc:"Missing while the client is connected"`
	Reason  string    `json:"reason,omitempty" doc:"Reason for leaving"`
}

// History is the list of visits, latest first.
type History struct {
	Visits []Visit `json:"visits"`
}

// Reason is the reason for an action.
type Reason struct {
	Reason string `json:"reason,omitempty"`
	Name   string `json:"name,omitempty" doc:"If set, the request fails unless the player has this name; another player may have the id by now"`
}

// BanRequest bans a player.
type BanRequest struct {
	Minutes int    `json:"minutes" doc:"0 means for ever"`
	Reason  string `json:"reason,omitempty"`
	Name    string `json:"name,omitempty" doc:"If set, the request fails unless the player has this name; another player may have the id by now"`
}

// MuteRequest keeps a player from using the chat.
type MuteRequest struct {
	Seconds int    `json:"seconds" doc:"Duration in seconds, as in muteid; bans count in minutes"`
	Reason  string `json:"reason,omitempty"`
	Name    string `json:"name,omitempty" doc:"If set, the request fails unless the player has this name; another player may have the id by now"`
}

// TeamRequest moves a player.
type TeamRequest struct {
	Team  Team   `json:"team" doc:"spectators, red (also for a game without teams) or blue; or the numbers -1, 0 and 1"`
	Delay int    `json:"delay,omitempty" doc:"Minutes until the player may change the team again"`
	Name  string `json:"name,omitempty" doc:"If set, the request fails unless the player has this name; another player may have the id by now"`
}

// Team is a team in a request.
type Team struct{ game.Team }

// UnmarshalJSON also accepts the number of a team.
func (t *Team) UnmarshalJSON(b []byte) error {
	if text, err := strconv.Unquote(string(b)); err == nil {
		b = []byte(text)
	}
	if err := t.UnmarshalText(b); err != nil {
		return err
	}
	if t.Team < game.TeamSpectators || t.Team > game.TeamBlue {
		return fmt.Errorf("unknown team %d; use spectators (-1), red (0) or blue (1)", int(t.Team))
	}
	return nil
}

// Output is the output of a console line.
type Output struct {
	Output []string `json:"output"`
	Cut    bool     `json:"cut,omitempty" doc:"Whether the output was longer"`
}

// Line is a console line.
type Line struct {
	Line string `json:"line" doc:"Commands separated by semicolons, as at the remote console"`
}

// LineOutput is the output of a console line and its warnings.
type LineOutput struct {
	Output  []string `json:"output"`
	Cut     bool     `json:"cut,omitempty" doc:"Whether the output was longer"`
	Warning string   `json:"warning,omitempty" doc:"First line of the output that reports a failure"`
}

// Ban is a ban.
type Ban struct {
	Target string    `json:"target" doc:"An address, a network or a range"`
	Until  time.Time `json:"until,omitzero" doc:"Missing for a permanent ban"`
	Reason string    `json:"reason,omitempty"`
}

// Bans are all bans.
type Bans struct {
	Bans []Ban `json:"bans"`
	More int   `json:"more,omitempty" doc:"Number of bans that are not listed"`
}

// NewBan bans an address, a network or a range.
type NewBan struct {
	Target  string `json:"target" doc:"An address, a network or a range: 1.2.3.4, 1.2.3.0/24, 1.2.3.4-1.2.3.9"`
	Minutes int    `json:"minutes" doc:"0 means for ever"`
	Reason  string `json:"reason,omitempty"`
}

// VoteOption is an option that players may vote for.
type VoteOption struct {
	Text    string `json:"text"`
	Command string `json:"command,omitempty" doc:"Console line; only for administrators"`
}

// Votes is the list of vote options, and the running vote.
type Votes struct {
	Options []VoteOption `json:"options"`
	Running *RunningVote `json:"running,omitempty"`
}

// RunningVote is the vote that is running.
type RunningVote struct {
	About   string `json:"about"`
	Reason  string `json:"reason,omitempty"`
	Command string `json:"command,omitempty" doc:"Only for administrators"`
	Caller  int    `json:"caller" doc:"Id of the player who called the vote, -1 for the server"`
	Yes     int    `json:"yes"`
	No      int    `json:"no"`
	Total   int    `json:"total"`
	Seconds int    `json:"seconds" doc:"Seconds until the vote ends"`
}

// Decision decides the running vote.
type Decision struct {
	Yes bool `json:"yes"`
}

// Maps is the current map and the available maps.
type Maps struct {
	Map      string   `json:"map"`
	GameType string   `json:"gametype"`
	Next     string   `json:"next,omitempty" doc:"Next map; missing if the map does not change"`
	Rotation []string `json:"rotation" doc:"Maps of sv_maprotation"`
	Maps     []string `json:"maps" doc:"Available maps; only for operators who may change the map"`
}

// MapChange changes the map.
type MapChange struct {
	Map string `json:"map"`
	Now bool   `json:"now,omitempty" doc:"Change at once, without showing the scores"`
}

// Rotation lists the maps that are played in turn.
type Rotation struct {
	Maps []string `json:"maps"`
}

// Setting is a variable of the console.
type Setting struct {
	Name    string `json:"name"`
	Subject string `json:"subject" doc:"Group of settings, as in docs/operate/settings.md"`
	Value   string `json:"value" doc:"Value; *** for a secret that is set"`
	Default string `json:"default"`
	Allowed string `json:"allowed" doc:"Description of the allowed values"`
	Min     *int   `json:"min,omitempty"`
	Max     *int   `json:"max,omitempty"`
	Number  bool   `json:"number,omitempty"`
	Secret  bool   `json:"secret,omitempty"`
	Help    string `json:"help"`
}

// SettingsList is the list of variables that the operator may set, sorted by subject.
type SettingsList struct {
	Settings []Setting `json:"settings"`
}

// Value is the value of a setting.
type Value struct {
	Value string `json:"value"`
}

// Changed is the new value of a setting.
type Changed struct {
	Value  string   `json:"value"`
	Output []string `json:"output"`
}

// Command is a command or variable that the operator may run.
type Command struct {
	Name   string `json:"name"`
	Params string `json:"params,omitempty"`
	Help   string `json:"help"`
}

// Commands is the list of commands and variables that the operator may run.
type Commands struct {
	Commands []Command `json:"commands"`
}

// Log is a part of the log, oldest line first.
type Log struct {
	Lines []LogLine `json:"lines"`
	Next  uint64    `json:"next" doc:"Number of the next line, for the parameter from"`
}

// Sample describes the server during a second, or on average during a minute.
type Sample struct {
	Time     time.Time `json:"time"`
	Tick     float64   `json:"tick" doc:"Mean duration of a tick in milliseconds; a tick may take 20"`
	TickMax  float64   `json:"tick_max" doc:"Duration of the longest tick in milliseconds"`
	Players  int       `json:"players"`
	Bots     int       `json:"bots"`
	Received float64   `json:"received" doc:"Bytes per second"`
	Sent     float64   `json:"sent" doc:"Bytes per second"`
}

// Samples is a list of samples, oldest first.
type Samples struct {
	Step    int      `json:"step" doc:"Seconds between two samples"`
	Samples []Sample `json:"samples"`
}

// Token is a token without its text.
type Token struct {
	Name    string    `json:"name"`
	Level   string    `json:"level" doc:"admin, moderator or helper"`
	Created time.Time `json:"created"`
	Expires time.Time `json:"expires,omitzero"`
}

// Tokens is the list of all tokens.
type Tokens struct {
	Tokens []Token `json:"tokens"`
}

// NewToken requests a token.
type NewToken struct {
	Name  string `json:"name" doc:"1 to 32 letters, digits, dots, dashes and underscores"`
	Level string `json:"level" doc:"admin, moderator or helper"`
	Days  int    `json:"days,omitempty" doc:"Days until the token expires, 0 for never"`
}

// TokenText is a new token with its text.
type TokenText struct {
	Token string `json:"token" doc:"Send it in the header Authorization: Bearer TOKEN. It is not shown again."`
}

// LogLine is a line of the server's log.
type LogLine struct {
	Seq    uint64    `json:"seq" doc:"Number of the line, counted from the start of the server"`
	Time   time.Time `json:"time"`
	Level  string    `json:"level" doc:"debug, info, warn or error"`
	System string    `json:"system" doc:"Part of the server that logged the line, such as server, chat or net_ban"`
	Text   string    `json:"text"`
}

// GameEvent is an event of the game.
type GameEvent struct {
	Event string      `json:"event" doc:"Type of the event, such as chat, kill, joined, left, team_change, vote_start or map_change"`
	About event.Event `json:"about"`
}
