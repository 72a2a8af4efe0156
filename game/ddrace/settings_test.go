package ddrace

import (
	"strings"
	"testing"

	"github.com/teeyard/teeyard/internal/testenv"
)

// TestSettings checks the settings of a map.
func TestSettings(t *testing.T) {
	base := DefaultSettings()
	base.Zones = []Tuning{200: {Gravity: 1}}
	base.Zones = append(base.Zones, make([]Tuning, NumZones-len(base.Zones))...)
	d := room(5, 5)
	d.Settings = []string{
		`sv_freeze_delay 99; TUNE Gravity 0.3 # a comment; sv_hit 0`,
		`tune_zone 2 hook_length "200.5"`,
		`tune_zone_enter 2 "first\nsecond \"quoted\""`,
		`tune_zone_enter 3 ` + strings.Repeat("ü", 200),
		`tune_zone_leave 2 good bye`,
		`switch_open 8;switch_open 900`,
		`mapbug grenade-doubleexplosion@ddnet.tw`,
		`toggle_tune shotgun_strength 10 5; toggle_tune jetpack_strength 1 2`,
		`sv_old_laser`,
		`sv_plasma_per_sec -4`,
		``,
		`sv_gametype x`,
		`tune nothing 3`,
		`tune gravity`,
		`tune_zone 256 gravity 1`,
		`mapbug other`,
		`switch_open`,
	}
	d.game(2, 2, tileEndlessDrag, 0)
	d.over(3, 2, tileNoCollision, 0)
	m := testenv.Must(NewMap(&d.Terrain, base))
	s := &m.Settings
	testenv.Check(t, s.FreezeDelay == 30 && s.Hit == 1 && s.PlasmaPerSec == 0 && s.OldLaser == 0, "variables %+v", s.FreezeDelay)
	testenv.Check(t, s.Tuning[Gravity] == 30 && s.Tuning[ShotgunStrength] == 500 && s.Tuning[JetpackStrength] == 100, "tuning %v", s.Tuning)
	testenv.Check(t, s.tuningIn(2)[HookLength] == 20050 && s.tuningIn(200)[Gravity] == 1 && s.tuningIn(0) == &s.Tuning && base.Zones[2][HookLength] == 0, "zones")
	testenv.Check(t, s.ZoneEnter[2] == `first\nsecond "quoted"` && s.ZoneLeave[2] == "good bye", "messages %q, %q", s.ZoneEnter[2], s.ZoneLeave[2])
	testenv.Check(t, s.ZoneEnter[3] == strings.Repeat("ü", 127), "a long message: %q", s.ZoneEnter[3])
	testenv.Check(t, s.Open.Has(8) && s.Open == SwitchSet{1 << 8} && s.DoubleExplosion, "switches %v", s.Open)
	testenv.Check(t, s.EndlessDrag == 1 && s.Tuning[PlayerCollision] == 0 && s.Tuning[PlayerHooking] == 100, "tiles for the whole map")
	testenv.Check(t, len(m.Faults.List) == 6, "faults %v", m.Faults.List)
	testenv.Check(t, m.Faults.List[0].String() == `map settings: "sv_gametype x": no command or variable of DDRace that a map may have`, "fault %s", m.Faults.List[0])
	def := DefaultSettings()
	testenv.Check(t, def.FreezeDelay == 3 && def.PlasmaRange == 700 && def.tuningIn(7)[GunSpeed] == 140000, "defaults")
}

// TestTuning checks the tuning that a DDNet-Server sends, in hundredths.
func TestTuning(t *testing.T) {
	bare, tuned := BareTuning(), DefaultTuning()
	changed := 0
	for i := range bare {
		if bare[i] != tuned[i] {
			changed++
		}
		testenv.Check(t, TuneParamIndex(TuneParamName(i)) == i, "parameter %d is %q", i, TuneParamName(i))
	}
	testenv.Check(t, changed == 5 && tuned[GunSpeed] == 140000 && tuned[ShotgunSpeed] == 50000, "%d parameters of DDRace", changed)
	testenv.Check(t, LaserDamage == 30 && HookDuration == 37 && HammerFireDelay == 38 && HammerHitFireDelay == 44 && TuneParamName(45) == "" && TuneParamIndex("x") == -1, "order of the parameters")
}

// FuzzSettings checks that no line of a map is a problem.
func FuzzSettings(f *testing.F) {
	for _, s := range []string{`tune gravity 0.5`, `tune_zone 3 "hook_length" 1e9;sv_hit "`, `tune_zone_enter 1 "a\"`, `switch_open -1 # x`, `tune gravity 1e+`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		s := DefaultSettings()
		var faults Faults
		s.exec(line, &faults)
		for _, v := range &variables {
			if value := *v.Field(&s); value < v.Min || value > v.Max {
				t.Fatalf("%s is %d", v.Name, value)
			}
		}
		if len(faults.List) > maxFaults {
			t.Fatalf("%d faults", len(faults.List))
		}
	})
}
