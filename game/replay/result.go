package replay

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/teeyard/teeyard/game"
)

// MatchResult is who played a match and how it stood.
type MatchResult struct {
	Flags game.GameFlags
	// TeamScores are those of red and blue, in modes with teams.
	TeamScores [2]int32
	Players    []PlayerResult
}

// PlayerResult is a player's part in a MatchResult.
type PlayerResult struct {
	Name, Clan string
	Team       game.Team
	// Score is that of the match's end, or of when the player left. In races it is the best time in ms, -1 for none.
	Score int32
}

// maxResultPlayers is the largest number of players of a MatchResult.
const maxResultPlayers = 256

// Take takes over how a match stands. It keeps the storage that it has.
func (r *MatchResult) Take(w *game.World) {
	f := w.Frame()
	r.Flags, r.TeamScores, r.Players = f.Game.Flags, f.Game.TeamScore, r.Players[:0]
	for i := range f.Players {
		p := &f.Players[i]
		info, _ := w.Player(p.ID)
		r.Players = append(r.Players, PlayerResult{info.Profile.Name, info.Profile.Clan, p.Team, p.Score})
	}
}

// Merge takes over how the match stands later, and keeps who has left since. It takes the storage of later, which
// gets that of r in exchange.
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

// Sorted returns those who played, the best first.
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

// isBlank reports whether nobody has scored.
func (r *MatchResult) isBlank() bool {
	return r.TeamScores == [2]int32{} && !slices.ContainsFunc(r.Players, func(p PlayerResult) bool {
		return p.Score != 0 && !(r.IsRace() && p.Score == -1)
	})
}

// ResultKeeper finds the result of the matches of a world, of which a log can have several. The zero value is
// ready for a new world.
type ResultKeeper struct {
	now, match MatchResult
	last       MatchResult // of the last match that has ended
	over       bool
}

// Watch looks at the world. It should be called about once a second.
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

// Result returns the result of the match that goes on or, while nobody has scored there, of the one before it; nil
// if nobody played. It is valid until the next call of another method.
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

// parseResult reads what append has appended.
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
