package viewer

import (
	"fmt"
	"slices"
	"testing"

	"github.com/teeyard/teeyard/format/demo"
	"github.com/teeyard/teeyard/internal/browsertest"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// raceDemo returns a DDRace demo without its map, from tick 1000 on. Tees with these states stand
// in a row. Those with an odd id are in a race since tick 900. Each team is 16 times the id.
func raceDemo(states []msg7.DeCharacter) []byte {
	e := demo.NewEncoder(&demo.Header{NetVersion: msg7.NetVersion})
	file := header()
	for tick := int32(1000); tick < 1100; tick += 2 {
		var b snapshot.Builder
		var s snapshot.Snapshot
		add := func(id int, objects ...msg7.Object) {
			for _, o := range objects {
				o.PutInts(b.Add(o.ObjectType(), id, o.ObjectSize()))
			}
		}
		add(0, &msg7.GameData{}, &msg7.DeGameInfo{GameFlags: msg7.GameFlagRace})
		for id := range states {
			info := new(msg7.DeClientInfo)
			info.SetClient(&msg7.SvClientInfo{Name: fmt.Appendf(nil, "tee %d", id)})
			add(id, info, &msg7.PlayerInfo{Score: -1}, &msg7.PlayerInfoRace{StartTick: int32(900 * (id & 1))},
				&msg7.Character{CharacterCore: msg7.CharacterCore{X: int32(450 + 80*id), Y: 300, HookedPlayer: -1}, Weapon: msg7.WeaponNinja},
				&states[id], &msg7.DeTeam{Team: int32(16 * id)})
		}
		for id := range 5 {
			add(id, &msg7.Laser{X: 850, Y: int32(180 + 16*id), FromX: 430, FromY: int32(180 + 16*id), StartTick: tick})
		}
		add(1, &msg7.DeLaser{Kind: 1})
		add(2, &msg7.DeLaser{Kind: 2, Entity: 2})
		add(3, &msg7.DeLaser{Kind: 2, Entity: 4})
		add(4, &msg7.DeLaser{Kind: 2, Entity: 10})
		b.Finish(&s)
		file = append(file, e.AppendSnapshot(nil, tick, &s)...)
	}
	return file
}

// TestRaceStates checks that the page shows the DDRace states of tees.
func TestRaceStates(t *testing.T) {
	files := mapFiles(t)
	files["/race.demo"] = raceDemo([]msg7.DeCharacter{
		{Weapon: msg7.WeaponGun, Jumps: 2},
		{Weapon: msg7.WeaponGrenade, FreezeStart: 1000, FreezeEnd: 1120, Jumps: 2, AirJumps: 1, TeleCheckpoint: 3},
		{Weapon: msg7.WeaponHammer, FreezeEnd: -1, Jumps: 5, AirJumps: 1},
		{Weapon: msg7.WeaponHammer, Flags: 1 << 20, Jumps: -1},
		{Weapon: msg7.WeaponNinja, NinjaStart: 1010, Jumps: 1, Flags: 1<<4 | 1},
	})
	p := openServed(t, "", files)
	p.Run(`import('/test/page.js').then(m => m.showMoment('/race.demo', '/maps/testbox', 1060))`)
	p.Wait(`viewer.moment?.ready && viewer.moment.tees.length === 5`)

	type tee struct{ Weapon, Freeze, Jumps, AirJumps int }
	tees := browsertest.Eval[[]tee](p, `viewer.moment.tees.items.map(t => ({ Weapon: t.weapon, Freeze: t.freeze, Jumps: t.jumps, AirJumps: t.airJumps }))`)
	if want := []tee{{1, 0, 2, 0}, {3, 1, 2, 1}, {0, 2, 5, 1}, {0, 3, -1, 0}, {5, 0, 1, 0}}; !slices.Equal(tees, want) {
		t.Errorf("tees %+v, want %+v", tees, want)
	}
	if kinds := browsertest.Eval[[]int](p, `viewer.moment.lasers.items.map(l => l.kind)`); !slices.Equal(kinds, []int{0, 1, 2, 3, 4}) {
		t.Errorf("lasers of the kinds %v", kinds)
	}
	for id, want := range []string{
		"1 of 2 jumps",
		"0:03.20 · team 16 · checkpoint 3 · 0 of 2 jumps · frozen 1.2 s",
		"team 32 · 3 of 5 jumps · deeply frozen",
		"0:03.20 · team 48 · 1 of 1 jump · cannot move",
		"super · endless jumps · ninja 14.0 s · solo",
	} {
		p.Run(fmt.Sprintf(`viewer.director.follow(%d)`, id))
		p.Wait(fmt.Sprintf(`viewer.director.followed === %d && document.getElementById('tee').ariaLabel === %q`, id, want))
	}
	p.Run(`viewer.director.free()`)
	p.Wait(`document.getElementById('tee').hidden`)
	p.Run(`viewer.bar.toggleScores()`)
	p.Wait(`document.querySelectorAll('#scoreboard tbody button').length === 5`)
	wantTrue(t, p, "colours of teams", `new Set([...document.querySelectorAll('#scoreboard tbody button')].map(b => b.style.color)).size === 5`)
	p.Screenshot()

	p.Run(`import('/test/draw.js').then(m => m.open("/maps/testbox", "testbox", 640, 360))`)
	if code := browsertest.Eval[int](p, `import('/test/draw.js').then(m => m.drawMoment(viewer.moment, 640, 270, 0.5))`); code != 0 {
		t.Errorf("WebGL error %#x", code)
	}
	comparePicture(t, p.Screenshot(), "testdata/racestates.png", 640, 360)
}
