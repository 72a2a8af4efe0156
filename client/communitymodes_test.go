package client_test

import (
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode"
	"github.com/teeyard/teeyard/game/vec"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/mods/fng"
	"github.com/teeyard/teeyard/mods/foot"
	"github.com/teeyard/teeyard/mods/infection"
	"github.com/teeyard/teeyard/mods/instagib"
	"github.com/teeyard/teeyard/mods/zcatch"
	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/server/servertest"
)

// TestCommunityModes lets a client of each version shoot at the other.
func TestCommunityModes(t *testing.T) {
	modes := mode.List{
		{Name: "idm", New: func() game.Mode { return instagib.NewDM(game.WeaponLaser) }},
		{Name: "zcatch", New: zcatch.New},
		{Name: "fng", New: func() game.Mode { return fng.New(game.WeaponLaser, true) }},
	}
	for _, mode := range modes {
		t.Run(mode.Name, func(t *testing.T) {
			tn := servertest.Over(t, servertest.Link{Delay: time.Millisecond}, server.Config{Modes: modes},
				"sv_map testbox; sv_scorelimit 0; sv_gametype "+mode.Name)
			testenv.Check(t, len(tn.Problems()) == 0, "%q", tn.Problems())
			players := bothVersions(tn, func(v *game.View) game.Input { return hunt(v, 200) })
			for _, p := range players {
				kill := servertest.WaitFor(p, 30*time.Second, func(e event.Kill) bool { return e.Killer != e.Victim })
				testenv.Check(t, kill.Weapon == game.WeaponLaser, "weapon %d", kill.Weapon)
			}
			for _, p := range players {
				tn.WaitUntil(30*time.Second, "shown points and ten rounds", func() bool {
					points, ammo := int32(0), int32(0)
					p.WithView(func(v *game.View) {
						for _, s := range v.Players {
							points = max(points, s.Score)
						}
						for _, c := range v.Characters {
							if c.Player == v.Viewer && c.Weapon == game.WeaponLaser {
								ammo = c.Ammo
							}
						}
					})
					return points > 0 && ammo == 10
				})
			}
		})
	}
}

// bothVersions joins a client of each version. Both play in the same way.
func bothVersions(tn *servertest.Server, play func(v *game.View) game.Input) []*servertest.Player {
	next := func(_ *client.Client, v *game.View) game.Input { return play(v) }
	return []*servertest.Player{
		tn.JoinAs(client.Config{Name: "seven", Play: next}),
		tn.JoinAs(client.Config{Name: "six", Play: next, Version: client.Version06}),
	}
}

// hunt runs towards another tee up to a distance, aims at it and fires.
func hunt(v *game.View, distance int32) game.Input {
	in := game.Input{TargetX: 1, Fire: v.Tick / 10 & 63}
	for _, me := range v.Characters {
		for _, other := range v.Characters {
			if me.Player == v.Viewer && other.Player != v.Viewer {
				in.TargetX, in.TargetY = other.X-me.X, other.Y-me.Y
				in.Direction, in.Jump = min(max(in.TargetX/distance, -1), 1), v.Tick%40 < 5
			}
		}
	}
	return in
}

// TestInfection lets a client of each version choose a class, and one infect the other.
func TestInfection(t *testing.T) {
	modes := mode.List{{Name: "infection", New: infection.New}}
	tn := servertest.Over(t, servertest.Link{Delay: time.Millisecond}, server.Config{Modes: modes},
		"sv_map testbox; sv_gametype infection; inf_initial_infection_delay 4")
	players := bothVersions(tn, func(v *game.View) game.Input { return hunt(v, 20) })
	for _, p := range players {
		tn.WaitUntil(10*time.Second, "shown the classes", func() bool { return len(p.VoteOptions()) == 6 })
		testenv.NoError(t, p.VoteOption(p.VoteOptions()[1], ""))
	}
	for _, p := range players {
		servertest.WaitFor(p, 10*time.Second, func(e event.Broadcast) bool { return strings.Contains(e.Text, "\nSoldier: ") })
		servertest.WaitFor(p, 10*time.Second, func(e event.Chat) bool { return strings.HasSuffix(e.Text, " is infected") })
		servertest.WaitFor(p, 60*time.Second, func(e event.Chat) bool { return strings.HasPrefix(e.Text, "The infected win the round") })
		tn.WaitUntil(time.Second, "shown who won", func() (won bool) {
			p.WithView(func(v *game.View) { won = v.Game.TeamScore == [2]int32{2, 0} && v.Game.State&game.StateGameOver != 0 })
			return won
		})
	}
}

// carrier is a mod that moves a player to the ball, and the player with the ball to a goal.
type carrier struct{}

func (carrier) Start(*game.Setup) {}

func (carrier) OnTick(ctx *game.Ctx) {
	switch ctx.Tick() % 200 {
	case 0:
		ctx.Player(0).SetPos(vec.Vec2{X: 29.5 * 32, Y: 14.5 * 32})
	case 2:
		ctx.Player(0).SetPos(vec.Vec2{X: 33 * 32, Y: 17*32 + 16})
	}
}

// TestFoot lets a client kick the ball into a goal. A client of each version checks what it sees.
func TestFoot(t *testing.T) {
	cfg := server.Config{
		Modes:   mode.List{{Name: "foot", New: foot.New}},
		FindMod: func(string) (func() game.Mod, error) { return func() game.Mod { return carrier{} }, nil },
	}
	tn := servertest.Over(t, servertest.Link{Delay: time.Millisecond}, cfg, "sv_map testbox; sv_gametype foot; sv_mods carrier")
	seen := [2]bool{}
	players := bothVersions(tn, func(v *game.View) game.Input {
		for _, c := range v.Characters {
			if c.Weapon == game.WeaponGrenade && c.Player == 0 {
				seen[min(v.Viewer, 1)] = true
			}
		}
		return game.Input{TargetX: 100, Fire: v.Tick / 10 & 63}
	})
	for _, p := range players {
		servertest.WaitFor(p, 60*time.Second, func(e event.Broadcast) bool { return strings.Contains(e.Text, "seven scored") })
		tn.WaitUntil(time.Second, "shown the points", func() (shown bool) {
			p.WithView(func(v *game.View) { shown = v.Game.TeamScore != [2]int32{} })
			return shown
		})
	}
	testenv.Check(t, seen == [2]bool{true, true}, "who has the ball is seen: %v", seen)
}
