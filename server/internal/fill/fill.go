// Package fill fills the game of a server with players without clients: the bots of sv_bots, the
// dummies of dbg_dummies, and the NPCs of modes and mods.
//
// Bots get the highest seats, because clients get the lowest ones. All commands for them go to the
// world through Host.Queue, so a replay needs no bots.
package fill

import (
	"github.com/teeyard/teeyard/bot"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/internal/later"
)

// Addr is the address of a bot in the log. Programs that keep a list of players by the log end when
// an unknown player acts.
const Addr = "bot:0"

// MaxCatchUp is the number of ticks, of those that run at once after a stall, in which bots think:
// the last ones. Before, bots repeat their input, because they cost far more than a tick.
const MaxCatchUp = 5

// Host is the server that is filled.
type Host interface {
	// Match returns the match that the server plays.
	Match() Match
	// Seats returns the seats of clients, and of players who leave.
	Seats() Seats
	// IsWatched reports whether the match is broadcast to viewers.
	IsWatched() bool
	// Queue adds a command to the next tick of the world.
	Queue(cmd game.Command)
	// Leave makes a bot leave the world with the next tick, and says so in the log.
	Leave(id game.PlayerID, reason string)
	// FreeName returns a name for the player in a seat: the given one, or a similar one if the mode
	// does not allow equal names.
	FreeName(id game.PlayerID, name string) string
	// Print prints a line for the log.
	Print(level int, system, line string)
	// Wake makes a loop go on that sleeps. Any goroutine may call it.
	Wake()
}

// Match is the match that a server plays.
type Match struct {
	World *game.World
	// Terrain is the map. Another map has another pointer.
	Terrain *game.Terrain
	// Rules are the rules as configured.
	Rules *game.Rules
}

// Seats are seats of a server.
type Seats struct {
	// Clients are the seats of clients. Those InGame play or watch, and Spectators only watch.
	Clients, InGame, Spectators game.PlayerMask
	// Leaving are the seats of players who leave with the next tick.
	Leaving game.PlayerMask
}

// Config is the configuration of [Bots].
type Config struct {
	Host Host
	// Seed seeds the random numbers of bots.
	Seed uint64
	// Broadcast reports whether the server has a broadcast. Its first viewers then do not wait for
	// bots that explore the map.
	Broadcast bool
}

// Settings holds the variables. The comments name them; "ours" marks names that Teeworlds 0.7.5
// lacks.
type Settings struct {
	Bots    int // sv_bots, ours
	Skill   int // sv_bot_skill, ours
	Dummies int // dbg_dummies
}

// Bots are the players without clients of a server.
type Bots struct {
	Settings Settings

	cfg  Config
	host Host

	world     *game.World     // of the seats
	seats     game.PlayerMask // of bots, until they leave
	since     [game.MaxPlayers]conn.Time
	dummies   game.PlayerMask
	npcs      game.PlayerMask // those without a skill have no brain
	announced game.PlayerMask // clients know these
	brains    [game.MaxPlayers]brain
	npcSkills [game.MaxPlayers]int
	skill     int    // of all brains but those of NPCs
	serial    uint64 // of the last bot; bots have different seeds

	nav       *bot.NavGraph
	navMap    *game.Terrain // of nav, or of the graph in makingNav
	makingNav later.Job[*bot.NavGraph]
	ways      waySearch // instead of nav, in worlds of DDRace
}

// New returns Bots without settings; see [Bots.Register].
func New(cfg Config) *Bots { return &Bots{cfg: cfg, host: cfg.Host} }

// Register adds the variables to a console.
func (b *Bots) Register(c *console.Console) error {
	const sv = console.Server | console.Save
	for _, v := range []console.IntVar{
		{Name: "dbg_dummies", Help: "Number of bots that only walk, for tests", Flags: console.Server, Value: &b.Settings.Dummies, Max: game.MaxPlayers},
		{Name: "sv_bots", Help: "Number of players up to which bots fill the game while a client is connected (0 = no bots)",
			Flags: sv, Value: &b.Settings.Bots, Max: game.MaxPlayers},
		{Name: "sv_bot_skill", Help: "Skill of bots (1 = beginner, 2 = fair, 3 = strong); has no effect in DDRace",
			Flags: sv, Value: &b.Settings.Skill, Default: 2, Min: 1, Max: 3},
	} {
		if err := c.RegisterInt(v); err != nil {
			return err
		}
	}
	return nil
}

// Has reports whether a seat is a bot's.
func (b *Bots) Has(id game.PlayerID) bool { return b.seats.Has(id) }

// Count returns the number of bots.
func (b *Bots) Count() int { return b.seats.Count() }

// Since returns when a bot got its seat.
func (b *Bots) Since(id game.PlayerID) conn.Time { return b.since[id] }

// Entered notes that clients know of a bot.
func (b *Bots) Entered(id game.PlayerID) { b.announced.Add(id) }

// Left notes that clients know that a player has left, who may be a bot.
func (b *Bots) Left(id game.PlayerID) { b.announced.Remove(id) }

// IsAnnounced reports whether clients know of a bot. It may have left its seat.
func (b *Bots) IsAnnounced(id game.PlayerID) bool { return b.announced.Has(id) }

// Restore gives a bot of a resumed match its seat again. It stands still until it has a brain.
func (b *Bots) Restore(id game.PlayerID, now conn.Time) {
	b.setWorld(b.host.Match().World)
	b.sit(id, now)
	b.Entered(id)
}

// Last returns the bot that is the first to leave: the one that joined last, and an NPC only if all
// bots are NPCs. It returns -1 without bots.
func (b *Bots) Last() game.PlayerID {
	if others := b.seats.Without(b.npcs); !others.IsEmpty() {
		return others.Lowest()
	}
	return b.seats.Lowest()
}

// Remove makes a bot leave with the next tick. For other players it does nothing.
func (b *Bots) Remove(id game.PlayerID, reason string) {
	if !b.Has(id) {
		return
	}
	b.seats.Remove(id)
	b.dummies.Remove(id)
	b.npcs.Remove(id)
	b.brains[id] = nil
	b.host.Leave(id, reason)
}

// RemoveExcess removes the bots that are too many. Call it before a client joins, so that a slot is
// free.
func (b *Bots) RemoveExcess() {
	for n := b.filling().Count() - b.wanted(); n > 0; n-- {
		b.Remove(b.filling().Lowest(), "")
	}
}

// Close ends the work of other goroutines.
func (b *Bots) Close() { b.ways.end() }

// setWorld forgets the bots of another world.
func (b *Bots) setWorld(w *game.World) {
	if b.world != w {
		*b = Bots{
			Settings: b.Settings, cfg: b.cfg, host: b.host,
			world: w, serial: b.serial, nav: b.nav, navMap: b.navMap, makingNav: b.makingNav, ways: b.ways,
		}
	}
}

// sit notes that a seat is a bot's.
func (b *Bots) sit(id game.PlayerID, now conn.Time) {
	b.seats.Add(id)
	b.since[id] = now
}

// filling returns the bots of sv_bots.
func (b *Bots) filling() game.PlayerMask { return b.seats.Without(b.dummies).Without(b.npcs) }

// numFree returns how many seats are free.
func (b *Bots) numFree() int {
	s := b.host.Seats()
	return b.host.Match().Rules.Seats() - b.Count() - s.Leaving.Count() - s.Clients.Count()
}

// commonIDs is the number of ids that nearly all clients know.
const commonIDs = 64

// seatInOrder returns the seat that bots take in place n: the highest below commonIDs first, then
// those above. It is its own inverse.
func seatInOrder(n int) game.PlayerID {
	if n < commonIDs {
		n = commonIDs - 1 - n
	}
	return game.PlayerID(n)
}

// freeSeat returns the free seat for the next bot, or -1.
func (b *Bots) freeSeat() game.PlayerID {
	s := b.host.Seats()
	taken := b.seats.Or(s.Clients).Or(s.Leaving)
	for n := range b.host.Match().Rules.Seats() {
		if id := seatInOrder(n); !taken.Has(id) {
			return id
		}
	}
	return game.Nobody
}
