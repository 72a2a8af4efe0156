package client

import (
	"slices"
	"time"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/conn"
)

// Look shows the world as of the last snapshot. The view is borrowed, and the
// client stands still meanwhile.
func (c *Client) Look(see func(v *game.View)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	see(c.s.guest.View())
}

// LookAhead shows the world as it will be when an input that is sent now arrives,
// as far as it is known; see Config.PredictAll.
func (c *Client) LookAhead(see func(v *game.View)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.asked == nil {
		c.asked = new(predictor)
		if c.gameMap != nil {
			c.asked.setMap(c.gameMap.collision)
		}
	}
	tick := c.s.guest.View().Tick
	if c.s.State() == Playing {
		tick = c.s.PredictedTick(c.time())
	}
	see(c.asked.at(c.s, min(tick, c.s.guest.View().Tick+maxAhead), c.cfg.PredictAll))
}

// maxAhead bounds how far the world is predicted, in ticks.
const maxAhead = 50

// time is the present, for a client that runs itself.
func (c *Client) time() conn.Time {
	if c.network != nil {
		return conn.Time(c.network.sock.Now())
	}
	return c.now
}

// State tells how far the client is.
func (c *Client) State() State {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.s.State()
}

// Version is the version of the protocol that is spoken, AnyVersion as long as that is
// not known.
func (c *Client) Version() Version {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.s.Version()
}

// Err tells why the client is offline, nil if it is not or was closed.
func (c *Client) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.s.Err()
}

// Self is one's own id, game.Nobody while it is unknown.
func (c *Client) Self() game.PlayerID {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.s.guest.OwnID()
}

// Profile tells all about a player; false if he is not in the game.
func (c *Client) Profile(id game.PlayerID) (game.PlayerInfo, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.s.guest.Player(id)
}

// Row is a line of the scoreboard.
type Row struct {
	Player
	Score   int32         `json:"score"`
	Latency time.Duration `json:"latency"`
	Alive   bool          `json:"alive"` // and in sight
}

// Scoreboard is all players, the best first, spectators last.
func (c *Client) Scoreboard() []Row {
	c.mu.Lock()
	defer c.mu.Unlock()
	var rows []Row
	for _, p := range c.s.guest.View().Players {
		if info, ok := c.s.guest.Player(p.ID); ok {
			rows = append(rows, Row{c.player(p.ID), p.Score, time.Duration(p.Latency) * time.Millisecond, info.Alive})
		}
	}
	slices.SortStableFunc(rows, func(a, b Row) int {
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

// Find is the player of a name; false if nobody in the game has it.
func (c *Client) Find(name string) (Player, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for id := range game.PlayerID(game.MaxPlayers) {
		if info, ok := c.s.guest.Player(id); ok && info.Profile.Name == name {
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
	return c.s.guest.Settings()
}

// Tuning is the physics' numbers.
func (c *Client) Tuning() game.Tuning {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.s.guest.Tuning()
}

// Race tells of the race that is run, in modes of game.GameFlagRace: the best time, and
// who runs since when. (PlayerInfoRace, GameDataRace)
func (c *Client) Race() bridge.RaceInfo {
	c.mu.Lock()
	defer c.mu.Unlock()
	return *c.s.guest.RaceInfo()
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
	return c.s.Stats()
}

// Dropped is how many events nobody read in time; see Events.
func (c *Client) Dropped() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.dropped
}

// Latency is the time a message takes to the server and back, by its last PING.
func (c *Client) Latency() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.s.Latency()
}

// Pending is how many messages that must arrive, such as lines of chat, the server has
// not confirmed yet, 0..511. Who closes before loses them if the network did.
func (c *Client) Pending() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.s.Pending()
}

// Ping asks for a sign of life; Latency tells how long it took.
func (c *Client) Ping() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.time()
	err := c.s.Ping(c.now)
	if c.network != nil {
		c.network.sock.Flush()
	}
	return err
}
