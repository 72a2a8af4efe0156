package server

import (
	"fmt"
	"io/fs"
	"slices"
	"sync"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/later"
	"github.com/teeyard/teeyard/server/resume"
)

// Storage stores the data of modes and mods; see [game.Storage]. Package store has an
// implementation.
type Storage interface {
	// Submit queues a request without waiting. answer is called once, by any goroutine.
	Submit(r *game.StoreRequest, answer func(game.StoreAnswer))
	// Err returns the reason for which the storage does not work, nil if it works.
	Err() error
	// Close writes the remaining data. It takes some seconds at most.
	Close() error
}

// maxStoreRequests is how many requests to the storage may be under way, and maxFinishes how many if another one is a finish.
const (
	maxStoreRequests = 1024
	maxFinishes      = 4096
)

// storageHost connects worlds with the storage.
type storageHost struct {
	storage Storage // nil if there is none
	ranks   Ranks   // nil if there are none
	gameID  string  // UUID of the world
	// nextQuery is the tick in which a player may ask for ranks again.
	nextQuery [game.MaxPlayers]int32
	world     uint64 // counts the worlds, since an answer is for the one that asked
	waiting   int    // requests without an answer
	// unanswered are the requests whose answers the world has not got, the oldest first. They are
	// saved with it.
	unanswered []resume.Request
	trouble    later.Trouble // printed last
	// held are requests that wait until the match is stored with them, and storing how many of these are in what is being stored.
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

// openStorage opens the storage that sv_storage names.
func (s *Server) openStorage() error {
	name := s.settings.Storage
	if name == "" || s.cfg.OpenStorage == nil {
		return nil
	}
	if !fs.ValidPath(name) {
		return fmt.Errorf("sv_storage %q: not a file name inside the server's folder", name)
	}
	s.storage.storage = s.cfg.OpenStorage(name)
	return nil
}

// repeatRequests asks again what the storage had not answered when a match was saved. What was
// to be written fails: it may have been.
func (s *Server) repeatRequests(requests []resume.Request) {
	for _, saved := range requests {
		r := &game.StoreRequest{
			ID: saved.ID, Op: saved.Op, Space: string(saved.Space), Key: string(saved.Key), Row: game.Row{Name: string(saved.Name)},
			LowFirst: saved.LowFirst, Limit: saved.Limit, Rank: saved.Rank,
		}
		switch r.Op {
		case game.StoreGet, game.StoreRow, game.StoreTop, game.StoreRank: // ranks know what they have
			if r.Op == game.StoreRank && r.Rank == nil {
				continue
			}
			s.store(r, "")
		default:
			s.store(r, "the server ended before the storage answered; the value may or may not be stored")
		}
	}
}

// store passes a world's request on, unless it is refused.
func (s *Server) store(r *game.StoreRequest, refusal string) {
	h := &s.storage
	h.unanswered = append(h.unanswered, resume.Request{
		ID: r.ID, Op: r.Op, Space: []byte(r.Space), Key: []byte(r.Key), Name: []byte(r.Row.Name),
		LowFirst: r.LowFirst, Limit: r.Limit, Rank: r.Rank,
	})
	world := h.world
	answer := func(a game.StoreAnswer) {
		h.mu.Lock()
		h.answers = append(h.answers, worldAnswer{world, a})
		h.mu.Unlock()
	}
	h.waiting++
	switch {
	case refusal != "":
	case h.waiting > maxStoreRequests && !(isFinish(r) && h.waiting <= maxFinishes):
		refusal = "too many requests to the storage"
	case r.Op == game.StoreRank:
		if refusal = s.askRanks(r.Rank, answer); refusal == "" {
			return
		}
	case h.storage == nil:
		refusal = "this server has no storage"
	default:
		h.storage.Submit(r, answer)
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

// takeAnswers queues the answers of the storage for the next tick.
func (s *Server) takeAnswers() {
	h := &s.storage
	if h.waiting > 0 {
		h.mu.Lock()
		answers := h.answers
		h.answers = nil
		h.mu.Unlock()
		h.waiting -= len(answers)
		for i := range answers {
			if answers[i].world != h.world {
				s.putBackSave(answers[i].Rank)
			} else {
				s.queueCommand(answers[i].Command())
				if k := slices.IndexFunc(h.unanswered, func(r resume.Request) bool { return r.ID == answers[i].ID }); k >= 0 {
					h.unanswered = slices.Delete(h.unanswered, k, k+1)
				}
			}
		}
	}
	if s.clock.tick%game.TickRate != 0 {
		return
	}
	err := h.err()
	switch news := h.trouble.NoteError(err); {
	case !news:
	case err == nil:
		s.print(console.Standard, "storage", "stored again")
	default:
		s.print(console.Warning, "storage", err.Error())
	}
}

// err returns what keeps the storage or the ranks from working.
func (h *storageHost) err() error {
	var err error
	if h.storage != nil {
		err = h.storage.Err()
	}
	if err == nil && h.ranks != nil {
		err = h.ranks.Err()
	}
	return err
}

// closeStorage writes what is not written yet.
func (s *Server) closeStorage() {
	h := &s.storage
	for _, submit := range h.held {
		submit()
	}
	h.held = nil
	if h.ranks != nil {
		if err := h.ranks.Close(); err != nil {
			s.print(console.Warning, "ranks", err.Error())
		}
	}
	if h.storage != nil {
		if err := h.storage.Close(); err != nil {
			s.print(console.Warning, "storage", err.Error())
		}
	}
}
