package client

import (
	"slices"
	"time"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/conn"
)

// WithView shows the world as of the last snapshot. The view is borrowed, and the
// client stands still meanwhile.
func (c *Client) WithView(see func(v *game.View)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	see(c.session.side.View())
}

// WithPredictedView shows the world as it will be when an input that is sent now arrives,
// as far as it is known; see Config.PredictAll.
func (c *Client) WithPredictedView(see func(v *game.View)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.viewPredictor == nil {
		c.viewPredictor = new(predictor)
		if c.gameMap != nil {
			c.viewPredictor.setMap(c.gameMap.collision)
		}
	}
	tick := c.session.side.View().Tick
	if c.session.State() == Playing {
		tick = c.session.PredictedTick(c.currentTime())
	}
	see(c.viewPredictor.viewAt(c.session, min(tick, c.session.side.View().Tick+maxPredictedTicks), c.cfg.PredictAll))
}

// maxPredictedTicks bounds how far the world is predicted, in ticks.
const maxPredictedTicks = 50

// currentTime is the present, for a client that runs itself.
func (c *Client) currentTime() conn.Time {
	if c.network != nil {
		return conn.Time(c.network.sock.Now())
	}
	return c.now
}

// State tells how far the client is.
func (c *Client) State() State {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.session.State()
}

// Version is the version of the protocol that is spoken, AnyVersion as long as that is
// not known.
func (c *Client) Version() Version {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.session.Version()
}

// Err tells why the client is offline, nil if it is not or was closed.
func (c *Client) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.session.Err()
}

// Self is one's own id, game.Nobody while it is unknown.
func (c *Client) Self() game.PlayerID {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.session.side.OwnID()
}

// PlayerInfo tells all about a player; false if he is not in the game.
func (c *Client) PlayerInfo(id game.PlayerID) (game.PlayerInfo, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.session.side.Player(id)
}

// ScoreboardRow is a line of the scoreboard.
type ScoreboardRow struct {
	Player
	Score   int32         `json:"score"`
	Latency time.Duration `json:"latency"`
	Alive   bool          `json:"alive"` // and in sight
}

// Scoreboard is all players, the best first, spectators last.
func (c *Client) Scoreboard() []ScoreboardRow {
	c.mu.Lock()
	defer c.mu.Unlock()
	var rows []ScoreboardRow
	for _, p := range c.session.side.View().Players {
		if info, ok := c.session.side.Player(p.ID); ok {
			rows = append(rows, ScoreboardRow{c.player(p.ID), p.Score, time.Duration(p.Latency) * time.Millisecond, info.Alive})
		}
	}
	slices.SortStableFunc(rows, func(a, b ScoreboardRow) int {
		if x, y := a.Team == game.TeamSpectators, b.Team == game.TeamSpectators; x != y {
			if x {
				return 1
			}
			return -1
		}
		return int(b.Score) - int(a.Score)
	})
	return rows
}

// FindPlayer is the player of a name; false if nobody in the game has it.
func (c *Client) FindPlayer(name string) (Player, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for id := range game.PlayerID(game.MaxPlayers) {
		if info, ok := c.session.side.Player(id); ok && info.Profile.Name == name {
			return c.player(id), true
		}
	}
	return Player{ID: game.Nobody}, false
}

// Map is the server's map, nil before it is there. With Config.NoMap it has no
// file.
func (c *Client) Map() *Map {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.gameMap
}

// Settings are the server's settings.
func (c *Client) Settings() bridge.Settings {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.session.side.Settings()
}

// Tuning is the physics' numbers.
func (c *Client) Tuning() game.Tuning {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.session.side.Tuning()
}

// Race tells of the race that is run, in modes of game.GameFlagRace: the best time, and
// who runs since when. (PlayerInfoRace, GameDataRace)
func (c *Client) Race() bridge.RaceInfo {
	c.mu.Lock()
	defer c.mu.Unlock()
	return *c.session.side.RaceInfo()
}

// RconCommands are the commands of the remote console that we may use. They come
// little by little after the login.
func (c *Client) RconCommands() []bridge.CommandInfo {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.lists.commands)
}

// MapList is the maps that the server has, for those logged into the console.
func (c *Client) MapList() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.lists.maps)
}

// ChatCommands are those the server offers.
func (c *Client) ChatCommands() []bridge.CommandInfo {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.lists.chat)
}

// VoteOptions are what VoteOption can call a vote on.
func (c *Client) VoteOptions() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.lists.votes)
}

// Stats are the counters of the connection.
func (c *Client) Stats() Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.session.Stats()
}

// DroppedEvents is how many events nobody read in time; see Events.
func (c *Client) DroppedEvents() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.droppedEvents
}

// Latency is the time a message takes to the server and back, by its last PING.
func (c *Client) Latency() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.session.Latency()
}

// Unacked is how many messages that must arrive, such as lines of chat, the server has
// not confirmed yet, 0..511. Who closes before loses them if the network did.
func (c *Client) Unacked() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.session.Unacked()
}

// Ping asks for a sign of life; Latency tells how long it took.
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
