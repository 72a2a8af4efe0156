package storage

import (
	"crypto/sha256"
	"encoding/json"
	"slices"

	"github.com/teeyard/teeyard/game"
)

// Ranks stores the results of races and answers queries about them; see [game.RankRequest]. Package
// rank has an implementation.
type Ranks interface {
	// Submit queues a request without waiting. answer is called once, by any goroutine.
	Submit(r *game.RankRequest, from game.RankOrigin, answer func(game.RankAnswer))
	// Err returns the reason for which the ranks do not work, nil if they work. If a service on
	// another machine is away and nothing is lost, the error has a method Away() bool that returns
	// true.
	Err() error
	// Close writes the remaining data. It takes some seconds at most.
	Close() error
}

// Ranks returns the ranks, nil if there are none.
func (b *Broker) Ranks() Ranks { return b.ranks }

// askRanks passes a request on, or returns the reason for which it does not.
func (b *Broker) askRanks(r *game.RankRequest, tick int32, answer func(game.StoreAnswer)) (refusal string) {
	if b.ranks == nil {
		return "this server has no ranks"
	}
	if r.By >= 0 && isQuery(r.Op) {
		if tick < b.nextQuery[r.By] {
			return "too many requests to the ranks"
		}
		b.nextQuery[r.By] = tick + int32(b.Settings.QueriesDelay)*game.TickRate + 1
	}
	mapName, log := b.host.Match()
	if r.Map == "" {
		r.Map = mapName
	}
	from := game.RankOrigin{ID: RankID(r, b.gameID), Server: b.Settings.ServerName, GameID: b.gameID, Log: log}
	submit := func() { b.ranks.Submit(r, from, func(a game.RankAnswer) { answer(rankAnswer(&a)) }) }
	switch r.Op {
	case game.RankFinish, game.RankSave, game.RankLoad:
		if b.host.KeepsMatch() {
			b.held = append(b.held, submit)
			return ""
		}
	}
	submit()
	return ""
}

// putBack stores a saved team again that the ranks returned to a world that has ended.
func (b *Broker) putBack(a *game.RankAnswer) {
	if a == nil || a.Op != game.RankLoad || !a.Found || a.Save == nil {
		return
	}
	r := &game.RankRequest{Op: game.RankSave, Map: a.Map, By: game.Nobody, Code: a.Code, Text: a.Save.Text, Names: a.Save.Who}
	b.askRanks(r, 0, func(game.StoreAnswer) {})
}

// Release passes on the requests that change the ranks once the match is stored with them. keeps is
// what KeepsMatch of the host returns, and busy reports whether a match is being stored. Release
// returns true if the match has to be stored now.
//
// A match that continues after a crash repeats such a request. Without the match, the players could
// do something else: a team that plays on would also have its save.
func (b *Broker) Release(keeps, busy bool) (store bool) {
	switch {
	case len(b.held) == 0:
		return false
	case !keeps:
		b.release(len(b.held))
		return false
	case busy:
		return false
	case b.storing > 0:
		b.release(b.storing)
	}
	b.storing = len(b.held)
	return b.storing > 0
}

// release passes on the first n requests that are held.
func (b *Broker) release(n int) {
	for _, submit := range b.held[:n] {
		submit()
	}
	b.held, b.storing = slices.Delete(b.held, 0, n), 0
}

// RankID returns the ID of a request that stores a result. The Map of the request must be set. The
// ID is a hash of the game's ID and the whole request. A world repeats an unanswered request after
// a crash, and after a new start it may use the same number for another request.
func RankID(r *game.RankRequest, gameID string) [16]byte {
	text, err := json.Marshal(r)
	if err != nil {
		return [16]byte{} // all fields can be encoded
	}
	sum := sha256.Sum256(append([]byte(gameID), text...))
	return [16]byte(sum[:16])
}

func rankAnswer(a *game.RankAnswer) game.StoreAnswer {
	return game.StoreAnswer{ID: a.ID, Op: game.StoreRank, Space: game.RankSpace, Err: a.Err, Rank: a}
}

// isFinish reports whether a request stores a finish.
func isFinish(r *game.StoreRequest) bool { return r.Rank != nil && r.Rank.Op == game.RankFinish }

// isQuery reports whether sv_sql_queries_delay limits a kind of requests: players make them with
// chat commands.
func isQuery(op game.RankOp) bool {
	switch op {
	case game.RankFinish, game.RankBest, game.RankLoad:
		return false
	}
	return true
}
