package rank

import (
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/testenv"
)

// moved returns how many elements of a list have another index in a longer, later version of it.
func moved[T comparable](before, after []T) (n int) {
	for i := range before {
		if before[i] != after[i] {
			n++
		}
	}
	return n
}

// TestAddingMovesLittle adds finishes and teams that each belong before all others, and then better
// times of the teams. Each addition moves few existing elements.
func TestAddingMovesLittle(t *testing.T) {
	const n = 1000
	x := newIndex(func() int64 { return now })
	c, moves := x.course("m"), 0
	for i := range 3 * n {
		finishes, teams := slices.Clone(c.finishes), slices.Clone(c.teams)
		e := Entry{ID: number(i), Kind: Finish, Map: "m", When: int64(now - i), Time: int32(1_000_000 - i), Names: []string{fmt.Sprint("p", i%n)}, Team: i >= n}
		testenv.Require(t, x.apply(&e), "%d was there", i)
		moves += moved(finishes, c.finishes) + moved(teams, c.teams)
	}
	testenv.Check(t, len(c.finishes) == n && len(c.teams) == n && moves <= 30*n, "%d finishes, %d teams, %d moves", len(c.finishes), len(c.teams), moves)
}

// TestALateOneIsCheap adds an element out of order to a sorted list. Sorting the list again takes
// far fewer comparisons than sorting it from scratch.
func TestALateOneIsCheap(t *testing.T) {
	const n = 10_000
	x := newIndex(func() int64 { return now })
	for i := range n {
		for _, team := range []bool{false, true} {
			x.apply(&Entry{ID: number(n*map[bool]int{true: 1}[team] + i), Kind: Finish, Map: "m", When: int64(now + 2*i),
				Time: int32(1000 + 2*i), Names: []string{fmt.Sprint("p", i)}, Team: team})
		}
	}
	for at := 0; at < n; at += n / 20 {
		c, compared := *x.course("m"), 0
		x.sortFinishes(&c)
		c.sortTeams()
		f, late := c.finishes[at], *c.teams[n-1]
		f.when, late.time = f.when-1, c.teams[at].time-1
		slices.SortFunc(append(slices.Clone(c.finishes), f), func(a, b finish) int {
			compared++
			return x.compareFinishes(a, b)
		})
		slices.SortFunc(append(slices.Clone(c.teams[:n-1]), &late), func(a, b *team) int {
			compared++
			return compareTeams(a, b)
		})
		testenv.Check(t, compared < 6*n, "one that belongs to %d of %d: %d comparisons", at, n, compared)
	}
}

// TestOrderIsThatOfEachMoment adds finishes with many equal times and dates to two indexes. The
// test queries one index after each finish. In the end both give the same answers.
func TestOrderIsThatOfEachMoment(t *testing.T) {
	for seed := range rounds(200, 20) {
		r := rand.New(rand.NewSource(int64(seed)))
		asked, last := newIndex(func() int64 { return now }), newIndex(func() int64 { return now })
		answers := func(x *index) (all []game.RankAnswer) {
			for _, op := range []game.RankOp{game.RankTimes, game.RankTop, game.RankTeamTop, game.RankTeamOf, game.RankOf} {
				for from := int32(-30); from <= 30; from += 5 {
					var a game.RankAnswer
					x.answer(&game.RankRequest{Op: op, Map: "m", Name: map[bool]string{true: "p1"}[op == game.RankTeamOf || op == game.RankOf], From: from},
						"GER", &a)
					all = append(all, a)
				}
			}
			return all
		}
		for i := range 60 {
			e := Entry{ID: number(i), Kind: Finish, Map: "m", When: int64(now - r.Intn(4)), Time: int32(1000 + r.Intn(4)),
				Names:  []string{fmt.Sprint("p", r.Intn(4))},
				Server: []string{"GER", "USA", "CHN"}[r.Intn(3)], Team: r.Intn(2) == 0}
			if e.Team {
				e.Names = append(e.Names, fmt.Sprint("q", r.Intn(4)))
				e.SaveID = fmt.Sprintf("%032x", r.Intn(4)) // as if from different databases
			}
			asked.apply(&e)
			last.apply(&e)
			answers(asked)
		}
		diff := cmp.Diff(answers(asked), answers(last))
		testenv.Require(t, diff == "", "seed %d: %s", seed, diff)
	}
}
