package replay

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/teeyard/teeyard/game"
)

// MatchResult is the result of a match: its players and their scores.
type MatchResult struct {
	Flags game.GameFlags
	// TeamScores are the scores of red and blue, in modes with teams.
	TeamScores [2]int32
	Players    []PlayerResult
}

// PlayerResult is a player's part in a MatchResult.
type PlayerResult struct {
	Name, Clan string
	Team       game.Team
	// Score is the score at the end of the match, or when the player left. In races it is the best
	// time in ms, -1 for none.
	Score int32
	// Bot reports whether it is a bot. Logs do not contain this.
	Bot bool
}

// maxResultPlayers is the largest number of players of a MatchResult.
const maxResultPlayers = 256

// Take sets r to the current result of the match in w. It reuses the storage of r.
func (r *MatchResult) Take(w *game.World) {
	f := w.Frame()
	r.Flags, r.TeamScores, r.Players = f.Game.Flags, f.Game.TeamScore, r.Players[:0]
	for i := range f.Players {
		p := &f.Players[i]
		info, _ := w.Player(p.ID)
		r.Players = append(r.Players, PlayerResult{info.Profile.Name, info.Profile.Clan, p.Team, p.Score, info.Flags&game.PlayerFlagBot != 0})
	}
}

// Merge updates r to a later result of the same match, and keeps the players who have left since.
// It exchanges the storage of r and later.
func (r *MatchResult) Merge(later *MatchResult) {
	if len(later.Players) == 0 {
		return
	}
	r.Flags, r.TeamScores = later.Flags, later.TeamScores
	now := later.Players
	for _, p := range r.Players {
		if len(now) < maxResultPlayers && !slices.ContainsFunc(now, func(o PlayerResult) bool { return o.Name == p.Name }) {
			now = append(now, p)
		}
	}
	r.Players, later.Players = now, r.Players[:0]
}

// Sorted returns the players, the best first.
func (r *MatchResult) Sorted() []PlayerResult {
	players := slices.DeleteFunc(slices.Clone(r.Players), func(p PlayerResult) bool { return p.Team == game.TeamSpectators })
	slices.SortStableFunc(players, func(a, b PlayerResult) int {
		if r.IsRace() { // times, without one -1
			return cmp.Compare(uint32(a.Score), uint32(b.Score))
		}
		return cmp.Compare(b.Score, a.Score)
	})
	return players
}

// IsRace reports whether scores are times.
func (r *MatchResult) IsRace() bool { return r.Flags&game.GameFlagRace != 0 }

// HasTeams reports whether teams have scores.
func (r *MatchResult) HasTeams() bool { return r.Flags&game.GameFlagTeams != 0 }

// isBlank reports whether the match has no scores.
func (r *MatchResult) isBlank() bool {
	return r.TeamScores == [2]int32{} && !slices.ContainsFunc(r.Players, func(p PlayerResult) bool {
		return p.Score != 0 && !(r.IsRace() && p.Score == -1)
	})
}

// ResultKeeper finds the results of the matches of a world. A log can contain several matches. The
// zero value is ready for a new world.
type ResultKeeper struct {
	now, match MatchResult
	last       MatchResult // of the last match that has ended
	over       bool
}

// Watch updates the result from the world. Call it about once a second.
func (k *ResultKeeper) Watch(w *game.World) {
	over := w.Frame().Game.State&game.StateGameOver != 0
	if k.over && !over { // another match has begun
		k.last, k.match = k.match, k.last
		k.match.Players = k.match.Players[:0]
	}
	k.over = over
	k.now.Take(w)
	k.match.Merge(&k.now)
}

// Result returns the result of the current match or, until a player scores in it, of the previous
// match. It returns nil if no player took part. The result is valid until the next call of another
// method.
func (k *ResultKeeper) Result() *MatchResult {
	r := &k.match
	if r.isBlank() && len(k.last.Players) > 0 {
		r = &k.last
	}
	if len(r.Players) == 0 {
		return nil
	}
	return r
}

func (r *MatchResult) append(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(r.Flags))
	for _, score := range r.TeamScores {
		dst = appendInt(dst, score)
	}
	players := r.Players[:min(len(r.Players), maxResultPlayers)]
	dst = binary.AppendUvarint(dst, uint64(len(players)))
	for i := range players {
		p := &players[i]
		dst = appendInt(appendInt(appendText(appendText(dst, p.Name), p.Clan), int32(p.Team)), p.Score)
	}
	return dst
}

// maxResultText is the most bytes of a name or clan.
const maxResultText = 64

// parseResult is the inverse of append.
func parseResult(b []byte) (*MatchResult, error) {
	f := fieldReader{b: b}
	flags := f.uvarint()
	r := &MatchResult{Flags: game.GameFlags(flags), TeamScores: [2]int32{f.int(), f.int()}}
	n := f.uvarint()
	bad := flags > math.MaxUint8 || n > maxResultPlayers
	for !f.failed && !bad && uint64(len(r.Players)) < n {
		p := PlayerResult{Name: f.readText(), Clan: f.readText()}
		team := f.int()
		p.Team, p.Score = game.Team(team), f.int()
		bad = len(p.Name) > maxResultText || len(p.Clan) > maxResultText || team != int32(p.Team)
		r.Players = append(r.Players, p)
	}
	if f.failed || bad || len(f.b) > 0 {
		return nil, fmt.Errorf("%w: the result of the match", ErrCorrupt)
	}
	return r, nil
}
