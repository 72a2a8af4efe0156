package client

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/ddrace"
	"github.com/teeyard/teeyard/protocol/conn"
)

// WithView calls f with the world as of the last snapshot. The view is valid until f returns. The
// client waits meanwhile, so f must not call its methods.
func (c *Client) WithView(f func(v *game.View)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f(c.session.side.View())
}

// WithPredictedView is WithView for the predicted world: the expected world when an input sent now
// reaches the server. See Config.PredictAll.
func (c *Client) WithPredictedView(f func(v *game.View)) {
	tick := int32(0)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.session.State() == Playing {
		tick = c.session.PredictedTick(c.currentTime())
	}
	f(c.predictedView(tick))
}

// WithViewPredictedFor is WithPredictedView for another tick, such as the one before Clock's.
func (c *Client) WithViewPredictedFor(tick int32, f func(v *game.View)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f(c.predictedView(tick))
}

// predictedView returns the view of a tick, at the earliest the last snapshot's.
func (c *Client) predictedView(tick int32) *game.View {
	if c.viewPredictor == nil {
		c.viewPredictor = &predictor{ddrace: ddracePredictor{base: &c.ddrace}}
		if c.gameMap != nil {
			c.viewPredictor.setMap(c.gameMap.collision)
		}
	}
	newest := c.session.side.View().Tick
	return c.viewPredictor.viewAt(c.session, min(max(tick, newest), newest+maxPredictedTicks), c.cfg.PredictAll)
}

// Clock returns the two times of a picture, in ticks with fractions. Shown lies between the last
// two snapshots, and predicted is the time of the own tee. Both are 0 unless the client plays.
func (c *Client) Clock() (shown, predicted float64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.session.State() != Playing {
		return 0, 0
	}
	now := c.currentTime()
	return float64(c.session.gameTime.at(now)) / float64(tickTime), float64(c.session.predictedTime.at(now)) / float64(tickTime)
}

// InputTick returns the last tick whose input the client has sent, or has left out because nothing
// had changed. The next input is for a later tick.
func (c *Client) InputTick() int32 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.session.lastInputTick
}

// maxPredictedTicks limits how many ticks the world is predicted ahead.
const maxPredictedTicks = 50

// currentTime returns the current time, also for a client that runs itself.
func (c *Client) currentTime() conn.Time {
	if c.network != nil {
		return conn.Time(c.network.sock.Now())
	}
	return c.now
}

// readLocked calls read while c is locked, and returns its result.
func readLocked[T any](c *Client, read func() T) T {
	c.mu.Lock()
	defer c.mu.Unlock()
	return read()
}

// State returns the progress of the client on its way into the game.
func (c *Client) State() State { return readLocked(c, c.session.State) }

// Version returns the current protocol version, or AnyVersion while it is unknown.
func (c *Client) Version() Version { return readLocked(c, c.session.Version) }

// Err returns the reason why the client is offline, or nil if it is online or was closed.
func (c *Client) Err() error { return readLocked(c, c.session.Err) }

// Self returns the client's own id, or game.Nobody while it is unknown.
func (c *Client) Self() game.PlayerID {
	return readLocked(c, func() game.PlayerID { return c.session.side.OwnID() })
}

// PlayerInfo returns the information about a player, and whether the player is in the game.
func (c *Client) PlayerInfo(id game.PlayerID) (game.PlayerInfo, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.session.side.Player(id)
}

// ScoreboardRow is a line of the scoreboard.
type ScoreboardRow struct {
	event.Player
	Score int32 `json:"score"`
	Timed bool  `json:"timed,omitempty"` // Score is a time in ms, or game.NoRaceTime
	// DDRaceTeam is the DDRace team, 0 for none.
	DDRaceTeam int32         `json:"race_team,omitempty"`
	Latency    time.Duration `json:"latency"`
	Alive      bool          `json:"alive"` // and within the view
}

// MarshalJSON writes the fields of the player and of the row into a single object.
func (r ScoreboardRow) MarshalJSON() ([]byte, error) {
	type player event.Player // without its own MarshalJSON
	return json.Marshal(struct {
		player
		Score      int32         `json:"score"`
		Timed      bool          `json:"timed,omitempty"`
		DDRaceTeam int32         `json:"race_team,omitempty"`
		Latency    time.Duration `json:"latency"`
		Alive      bool          `json:"alive"`
	}{player(r.Player), r.Score, r.Timed, r.DDRaceTeam, r.Latency, r.Alive})
}

// Scoreboard returns all players, best first, spectators last.
func (c *Client) Scoreboard() []ScoreboardRow {
	c.mu.Lock()
	defer c.mu.Unlock()
	return Scoreboard(c.session.side)
}

// Scoreboard returns the players in side, best first, spectators last.
func Scoreboard(side bridge.ClientSide) []ScoreboardRow {
	var rows []ScoreboardRow
	timed := side.View().Game.Flags&game.GameFlagRace != 0
	for _, p := range side.View().Players {
		if info, ok := side.Player(p.ID); ok {
			rows = append(rows, ScoreboardRow{
				Player: bridge.EventPlayer(side, p.ID), Score: p.Score, Timed: timed, DDRaceTeam: p.DDRaceTeam,
				Latency: time.Duration(p.Latency) * time.Millisecond, Alive: info.Alive,
			})
		}
	}
	slices.SortStableFunc(rows, func(a, b ScoreboardRow) int {
		if x, y := a.Team == game.TeamSpectators, b.Team == game.TeamSpectators; x != y {
			if x {
				return 1
			}
			return -1
		}
		if timed {
			return cmp.Compare(uint32(a.Score), uint32(b.Score)) // NoRaceTime sorts after every time
		}
		return cmp.Compare(b.Score, a.Score)
	})
	return rows
}

// FindPlayer returns the player with a name, and whether such a player is in the game.
func (c *Client) FindPlayer(name string) (event.Player, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for id := range game.PlayerID(game.MaxPlayers) {
		if info, ok := c.session.side.Player(id); ok && info.Profile.Name == name {
			return c.player(id), true
		}
	}
	return event.Player{ID: game.Nobody}, false
}

// Map returns the server's map, or nil before it is loaded. With Config.NoMap it has no file.
func (c *Client) Map() *Map { return readLocked(c, func() *Map { return c.gameMap }) }

// Settings returns the server's settings.
func (c *Client) Settings() event.Settings {
	return readLocked(c, func() event.Settings { return c.session.side.Settings() })
}

// Tuning returns the parameters of the physics.
func (c *Client) Tuning() game.Tuning {
	return readLocked(c, func() game.Tuning { return c.session.side.Tuning() })
}

// DDRaceTuning returns all parameters of DDNet's physics for the tune zone of the client's own tee,
// and the number of parameters that the server sent: [ddrace.NumTuneParams16], or
// [ddrace.NumTuneParams] since DDNet 20. The number is 0 for clients of 0.7 and outside of DDRace.
func (c *Client) DDRaceTuning() (t ddrace.Tuning, params int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.session.side.DDRaceTuning()
}

// RconCommands returns the remote console commands that the client may use. The server sends them
// in small portions after the login.
func (c *Client) RconCommands() []bridge.CommandInfo {
	return readLocked(c, func() []bridge.CommandInfo { return slices.Clone(c.lists.commands) })
}

// MapList returns the server's maps. Servers send the list after the login to the remote console.
func (c *Client) MapList() []string {
	return readLocked(c, func() []string { return slices.Clone(c.lists.maps) })
}

// ChatCommands returns the server's chat commands.
func (c *Client) ChatCommands() []bridge.CommandInfo {
	return readLocked(c, func() []bridge.CommandInfo { return slices.Clone(c.lists.chat) })
}

// VoteOptions returns the options for the method VoteOption.
func (c *Client) VoteOptions() []string {
	return readLocked(c, func() []string { return slices.Clone(c.lists.votes) })
}

// Stats returns the counters of the connection.
func (c *Client) Stats() Stats { return readLocked(c, c.session.Stats) }

// DroppedEvents returns the number of events that were dropped because Events did not read them in
// time.
func (c *Client) DroppedEvents() int { return readLocked(c, func() int { return c.droppedEvents }) }

// Latency returns the round-trip time of the last Ping, or 0 before the first reply.
func (c *Client) Latency() time.Duration { return readLocked(c, c.session.Latency) }

// Unacked returns the number of messages, such as chat lines, that the server has not acknowledged
// yet, 0..511. After Close they are not sent again.
func (c *Client) Unacked() int { return readLocked(c, c.session.Unacked) }

// Ping asks the server for a reply. Latency then returns the round-trip time.
func (c *Client) Ping() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.currentTime()
	err := c.session.Ping(c.now)
	if c.network != nil {
		c.network.sock.Flush()
	}
	return err
}
