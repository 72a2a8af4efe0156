package ddrace_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/format/teehistorian"
	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/game/ddrace"
	"github.com/teeyard/teeyard/server"
)

// oracle replays a teehistorian.
type oracle struct {
	w        *ddrace.World
	lastKill [ddrace.MaxTees]int32
	inputs   []ddrace.PlayerInput
	equal    int // tee-ticks
}

const messageKill = 44

func (o *oracle) apply(actions []teehistorian.Record) {
	o.inputs = o.inputs[:0]
	for i := range actions {
		r := &actions[i]
		id := int(r.Client)
		switch r.Kind {
		case teehistorian.InputDiff, teehistorian.InputNew:
			o.inputs = append(o.inputs, ddrace.PlayerInput{Player: id, Input: toInput(&r.Input)})
		case teehistorian.Message:
			if len(r.Data) == 1 && r.Data[0] == messageKill && o.w.Tee(id) != nil &&
				(o.lastKill[id] == 0 || o.lastKill[id]+ddrace.TickRate <= o.w.Tick()) {
				o.lastKill[id] = o.w.Tick()
				o.w.Kill(id, ddrace.WeaponSelf, false)
			}
		case teehistorian.Command:
			o.command(r)
		case teehistorian.Drop:
			o.w.Leave(id)
		case teehistorian.Extra:
			switch r.ID {
			case teehistorian.ExtraReady:
				o.w.Enter(int(r.Data[0]), false)
			case teehistorian.ExtraTeam:
				// Two bytes are 64, the team of super tees.
				if len(r.Data) == 2 {
					o.w.SetTeam(int(r.Data[0]), r.Data[1])
				}
			}
		}
	}
}

// command runs a command of the console.
func (o *oracle) command(r *teehistorian.Record) {
	id := int(r.Client)
	if id < 0 || o.w.Tee(id) == nil {
		return
	}
	switch r.Name {
	case "super":
		o.w.SetSuper(id, true)
	case "weapons":
		for _, weapon := range []ddrace.Weapon{ddrace.WeaponShotgun, ddrace.WeaponGrenade, ddrace.WeaponLaser} {
			o.w.GiveWeapon(id, weapon, true)
		}
	}
}

func toInput(in *teehistorian.Input) ddrace.Input {
	return ddrace.Input{
		Direction: in[0], TargetX: in[1], TargetY: in[2], Jump: in[3] != 0, Fire: in[4], Hook: in[5] != 0,
		Flags: in[6], WantedWeapon: in[7], NextWeapon: in[8], PrevWeapon: in[9],
	}
}

func (o *oracle) compare(f *teehistorian.Frame, alive *[teehistorian.MaxClients]bool, pos *[teehistorian.MaxClients]teehistorian.Point) error {
	for id := range ddrace.MaxTees {
		t := o.w.Tee(id)
		if (t != nil) != alive[id] {
			return fmt.Errorf("tick %d: tee %d: alive %v, recorded %v", o.w.Tick(), id, t != nil, alive[id])
		}
		if t == nil {
			continue
		}
		if x, y := int32(t.Core.Pos.X), int32(t.Core.Pos.Y); x != pos[id].X || y != pos[id].Y {
			return fmt.Errorf("tick %d: tee %d is at %d, %d, recorded at %d, %d (velocity %v, weapon %d, freeze %d)",
				o.w.Tick(), id, x, y, pos[id].X, pos[id].Y, t.Core.Vel, t.ActiveWeapon, t.FreezeTime)
		}
		o.equal++
	}
	return nil
}

func (o *oracle) run(r *teehistorian.Reader) error {
	var prev []teehistorian.Record
	var alive [teehistorian.MaxClients]bool
	var pos [teehistorian.MaxClients]teehistorian.Point
	prevTick := int32(-1)
	for {
		f, err := r.NextFrame()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		for o.w.Tick() < f.Tick {
			if o.w.Tick() == prevTick {
				o.apply(prev)
			} else {
				o.inputs = o.inputs[:0]
			}
			o.w.Step(o.inputs)
			if o.w.Tick() == f.Tick {
				alive, pos = f.Alive, f.Pos
			}
			if err := o.compare(f, &alive, &pos); err != nil {
				return err
			}
		}
		prevTick = f.Tick
		prev = append(prev[:0], f.Actions...)
		for i := range prev {
			prev[i].Data = append([]byte(nil), prev[i].Data...)
		}
	}
}

func TestOracle(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(os.Getenv("TEEHISTORIANS"), "*.teehistorian"))
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			f, err := os.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			r, err := teehistorian.NewReader(f)
			if err != nil {
				t.Fatal(err)
			}
			b, err := os.ReadFile(strings.TrimSuffix(name, ".teehistorian") + ".map")
			if err != nil {
				b, err = os.ReadFile(filepath.Join("/usr/share/games/ddnet/data/maps", r.Header().MapName+".map"))
			}
			if err != nil {
				t.Fatal(err)
			}
			m, err := twmap.Parse(b)
			if err != nil {
				t.Fatal(err)
			}
			terrain, err := server.Terrain(m)
			if err != nil {
				t.Fatal(err)
			}
			for name, value := range r.Header().Config {
				terrain.Settings = append(terrain.Settings, name+" "+value)
			}
			dm, err := ddrace.NewMap(&terrain, ddrace.DefaultSettings())
			if err != nil {
				t.Fatal(err)
			}
			seed, _ := r.Header().Seed()
			o := &oracle{w: ddrace.New(ddrace.Config{Map: dm, Seed: seed})}
			err = o.run(r)
			if err != nil {
				t.Errorf("%d tee-ticks equal; %v", o.equal, err)
			} else {
				t.Logf("%d tee-ticks equal", o.equal)
			}
		})
	}
}
