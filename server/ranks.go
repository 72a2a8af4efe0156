package server

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/uuid"
)

// Ranks keeps the results of races and answers questions about them; see [game.RankRequest]. The
// package rank has one.
type Ranks interface {
	// Submit queues a request without waiting. answer is called once, by any goroutine.
	Submit(r *game.RankRequest, from game.RankOrigin, answer func(game.RankAnswer))
	// Err returns the reason for which the ranks do not work, nil if they work.
	Err() error
	// Close writes the remaining data. It takes some seconds at most.
	Close() error
}

// openRanks opens the ranks that sv_ranks names.
func (s *Server) openRanks() error {
	name := s.settings.Ranks
	if name == "" || s.cfg.OpenRanks == nil {
		return nil
	}
	if !fs.ValidPath(name) {
		return fmt.Errorf("sv_ranks %q: not a file name inside the server's folder", name)
	}
	s.storage.ranks = s.cfg.OpenRanks(name)
	return nil
}

// beginRanks gives a new world its ID, or that of the match that goes on.
func (s *Server) beginRanks() {
	s.storage.gameID = uuid.Random()
	if from := s.resume.from; from != nil && from.GameID != "" {
		s.storage.gameID = from.GameID
	}
	clear(s.storage.nextQuery[:])
}

// askRanks passes a request on, or returns why it does not.
func (s *Server) askRanks(r *game.RankRequest, answer func(game.StoreAnswer)) (refusal string) {
	h := &s.storage
	if h.ranks == nil {
		return "this server has no ranks"
	}
	if r.By >= 0 && isQuery(r.Op) {
		tick := s.world.Tick()
		if tick < h.nextQuery[r.By] {
			return "too many requests to the ranks"
		}
		h.nextQuery[r.By] = tick + int32(s.settings.SQLQueriesDelay)*game.TickRate + 1
	}
	if r.Map == "" {
		r.Map = s.gameMap.Name
	}
	from := game.RankOrigin{ID: RankID(r, h.gameID), Server: s.settings.SQLServerName, GameID: h.gameID, Log: s.record.Log()}
	submit := func() { h.ranks.Submit(r, from, func(a game.RankAnswer) { answer(rankAnswer(&a)) }) }
	switch r.Op {
	case game.RankFinish, game.RankSave, game.RankLoad:
		if s.storesMatches() {
			h.held = append(h.held, submit)
			return ""
		}
	}
	submit()
	return ""
}

// isFinish reports whether a request keeps a finish.
func isFinish(r *game.StoreRequest) bool { return r.Rank != nil && r.Rank.Op == game.RankFinish }

// putBackSave keeps again what was taken out for a world that has ended.
func (s *Server) putBackSave(a *game.RankAnswer) {
	if a == nil || a.Op != game.RankLoad || !a.Found || a.Save == nil {
		return
	}
	r := &game.RankRequest{Op: game.RankSave, Map: a.Map, By: game.Nobody, Code: a.Code, Text: a.Save.Text, Names: a.Save.Who}
	s.askRanks(r, func(game.StoreAnswer) {})
}

// releaseRequests passes on what changes the ranks once the match is stored with it. A match that goes on after a crash
// then asks for it again, and not for something else that happened anew: a team that goes on would also have its save.
func (s *Server) releaseRequests() {
	h := &s.storage
	if len(h.held) == 0 {
		return
	}
	release := func(n int) {
		for _, submit := range h.held[:n] {
			submit()
		}
		h.held, h.storing = slices.Delete(h.held, 0, n), 0
	}
	switch {
	case !s.storesMatches():
		release(len(h.held))
		return
	case s.resume.keeper.Busy():
		return
	case h.storing > 0:
		release(h.storing)
	}
	if h.storing = len(h.held); h.storing > 0 {
		s.resume.keeper.Keep(s.matchToKeep())
	}
}

// RankID returns the ID of a request that stores a result. The Map of the request must be set. The
// ID is a hash of the game's ID and the whole request. A world repeats an unanswered request after
// a
// crash, and after a new start it may use the same number for another request.
func RankID(r *game.RankRequest, gameID string) [16]byte {
	text, err := json.Marshal(r)
	if err != nil {
		return [16]byte{} // it has nothing that cannot be encoded
	}
	sum := sha256.Sum256(append([]byte(gameID), text...))
	return [16]byte(sum[:16])
}

func rankAnswer(a *game.RankAnswer) game.StoreAnswer {
	return game.StoreAnswer{ID: a.ID, Op: game.StoreRank, Space: game.RankSpace, Err: a.Err, Rank: a}
}

// isQuery reports whether players ask for it, so that sv_sql_queries_delay is for it.
func isQuery(op game.RankOp) bool {
	switch op {
	case game.RankFinish, game.RankBest, game.RankLoad:
		return false
	}
	return true
}
