// Package storage passes the requests of worlds on to the storage of values and to the ranks, and
// returns the answers as commands of the next tick.
//
// The loop of the server calls the methods of Broker. Only the storage and the ranks answer in
// other goroutines.
package storage

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/uuid"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/internal/later"
	"github.com/teeyard/teeyard/server/resume"
)

// Store stores the data of modes and mods; see [game.Storage]. Package store has an implementation.
type Store interface {
	// Submit queues a request without waiting. answer is called once, by any goroutine.
	Submit(r *game.StoreRequest, answer func(game.StoreAnswer))
	// Err returns the reason for which the storage does not work, nil if it works.
	Err() error
	// Close writes the remaining data. It takes some seconds at most.
	Close() error
}

// Host is the server whose worlds make requests.
type Host interface {
	// Queue adds a command to the next tick of the world.
	Queue(cmd game.Command)
	// Print prints a line in the log.
	Print(level int, system, line string)
	// Match returns the name of the map and of the replay log, "" without a replay log.
	Match() (mapName, log string)
	// KeepsMatch reports whether a server that starts after a crash would continue this match.
	KeepsMatch() bool
}

// Config is the configuration of a [Broker].
type Config struct {
	Host Host
	// OpenStore and OpenRanks open what sv_storage and sv_ranks name. With nil, there is none.
	OpenStore func(name string) Store
	OpenRanks func(name string) Ranks
}

const (
	// MaxRequests is how many requests may be without an answer.
	MaxRequests = 1024
	// maxFinishes is how many they may be for one more finish.
	maxFinishes = 4096
)

// Broker passes on requests and answers.
type Broker struct {
	Settings Settings

	cfg    Config
	host   Host
	store  Store  // nil if there is none
	ranks  Ranks  // nil if there are none
	gameID string // UUID of the world
	// nextQuery is the tick from which a player may query the ranks again.
	nextQuery [game.MaxPlayers]int32
	world     uint64 // counts the worlds, because an answer is for the world that asked
	waiting   int    // requests without an answer
	// unanswered holds the requests whose answers the world has not got, the oldest first.
	unanswered []resume.Request
	trouble    later.Trouble // as printed last
	// held requests wait until the match is stored with them. The match that is being stored has
	// the first ones, as many as storing.
	held    []func()
	storing int

	mu      sync.Mutex
	answers []worldAnswer
}

// worldAnswer is an answer for a world.
type worldAnswer struct {
	world uint64
	game.StoreAnswer
}

// New returns a Broker. Call Register, Open and Begin next.
func New(cfg Config) *Broker { return &Broker{cfg: cfg, host: cfg.Host} }

// Open opens the storage and the ranks that the settings name.
func (b *Broker) Open() error {
	if name := b.Settings.Storage; name != "" && b.cfg.OpenStore != nil {
		if !fs.ValidPath(name) {
			return fmt.Errorf("sv_storage %q: not a file name inside the server's folder", name)
		}
		b.store = b.cfg.OpenStore(name)
	}
	if name := b.Settings.Ranks; name != "" && b.cfg.OpenRanks != nil {
		if !fs.ValidPath(name) {
			return fmt.Errorf("sv_ranks %q: not a file name inside the server's folder", name)
		}
		b.ranks = b.cfg.OpenRanks(name)
	}
	return nil
}

// Begin begins with a new world. gameID is the ID of a match that continues, "" for a new one.
func (b *Broker) Begin(gameID string) {
	b.world++
	b.unanswered = nil
	if b.gameID = gameID; gameID == "" {
		b.gameID = uuid.Random()
	}
	clear(b.nextQuery[:])
}

// GameID returns the UUID of the world.
func (b *Broker) GameID() string { return b.gameID }

// Unanswered returns the requests whose answers the world has not got, to keep with the world.
func (b *Broker) Unanswered() []resume.Request { return slices.Clone(b.unanswered) }

// Repeat makes the requests again that had no answer when a match was kept. Writes fail, because
// they may have been done.
func (b *Broker) Repeat(requests []resume.Request, tick int32) {
	for _, kept := range requests {
		r := &game.StoreRequest{
			ID: kept.ID, Op: kept.Op, Space: string(kept.Space), Key: string(kept.Key), Row: game.Row{Name: string(kept.Name)},
			LowFirst: kept.LowFirst, Limit: kept.Limit, Rank: kept.Rank,
		}
		switch r.Op {
		case game.StoreGet, game.StoreRow, game.StoreTop, game.StoreRank: // the ranks find a result that they have
			if r.Op == game.StoreRank && r.Rank == nil {
				continue
			}
			b.request(r, tick, "")
		default:
			b.request(r, tick, "the server ended before the storage answered; the value may or may not be stored")
		}
	}
}

// Request passes on a request that the world made in a tick.
func (b *Broker) Request(r *game.StoreRequest, tick int32) { b.request(r, tick, "") }

// request is Request with a reason to refuse the request, "" for none.
func (b *Broker) request(r *game.StoreRequest, tick int32, refusal string) {
	b.unanswered = append(b.unanswered, resume.Request{
		ID: r.ID, Op: r.Op, Space: []byte(r.Space), Key: []byte(r.Key), Name: []byte(r.Row.Name),
		LowFirst: r.LowFirst, Limit: r.Limit, Rank: r.Rank,
	})
	world := b.world
	answer := func(a game.StoreAnswer) {
		b.mu.Lock()
		b.answers = append(b.answers, worldAnswer{world, a})
		b.mu.Unlock()
	}
	b.waiting++
	switch {
	case refusal != "":
	case b.waiting > MaxRequests && !(isFinish(r) && b.waiting <= maxFinishes):
		refusal = "too many requests to the storage"
	case r.Op == game.StoreRank:
		if refusal = b.askRanks(r.Rank, tick, answer); refusal == "" {
			return
		}
	case b.store == nil:
		refusal = "this server has no storage"
	default:
		b.store.Submit(r, answer)
		return
	}
	if r.Op == game.StoreRank {
		a := r.Rank.Answer()
		a.Err = refusal
		answer(rankAnswer(&a))
		return
	}
	answer(game.StoreAnswer{ID: r.ID, Op: r.Op, Space: r.Space, Key: r.Key, Err: refusal})
}

// Take queues the answers for a tick. Once a second, it also prints errors of the storage.
func (b *Broker) Take(tick int32) {
	if b.waiting > 0 {
		b.takeAnswers()
	}
	if tick%game.TickRate != 0 {
		return
	}
	err := b.Err()
	switch news := b.trouble.NoteError(err); {
	case !news:
	case err == nil:
		b.host.Print(console.Standard, "storage", "stored again")
	default:
		b.host.Print(console.Warning, "storage", err.Error())
	}
}

func (b *Broker) takeAnswers() {
	b.mu.Lock()
	answers := b.answers
	b.answers = nil
	b.mu.Unlock()
	b.waiting -= len(answers)
	for i := range answers {
		a := &answers[i]
		if a.world != b.world {
			b.putBack(a.Rank)
			continue
		}
		b.host.Queue(a.Command())
		if k := slices.IndexFunc(b.unanswered, func(r resume.Request) bool { return r.ID == a.ID }); k >= 0 {
			b.unanswered = slices.Delete(b.unanswered, k, k+1)
		}
	}
}

// Err returns the reason for which the storage or the ranks do not work, nil if they work.
func (b *Broker) Err() error {
	var err error
	if b.store != nil {
		err = b.store.Err()
	}
	if err == nil && b.ranks != nil {
		err = b.ranks.Err()
	}
	return err
}

// IsAway reports whether an error of Err only means that a service on another machine is away.
func IsAway(err error) bool {
	if err == nil {
		return false
	}
	var away interface{ Away() bool }
	return errors.As(err, &away) && away.Away()
}

// Close makes the writes that still wait.
func (b *Broker) Close() {
	for _, submit := range b.held {
		submit()
	}
	b.held = nil
	if b.ranks != nil {
		if err := b.ranks.Close(); err != nil {
			b.host.Print(console.Warning, "ranks", err.Error())
		}
	}
	if b.store != nil {
		if err := b.store.Close(); err != nil {
			b.host.Print(console.Warning, "storage", err.Error())
		}
	}
}
