package ddrace

import (
	"strconv"
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
	testenv.Check(t, s.tuningIn(2)[HookLength] == 20050 && s.tuningIn(200)[Gravity] == 1 && s.tuningIn(0) == &s.Tuning &&
		base.Zones[2][HookLength] == 0, "zones")
	testenv.Check(t, s.ZoneEnter[2] == `first\nsecond "quoted"` && s.ZoneLeave[2] == "good bye", "messages %q, %q", s.ZoneEnter[2], s.ZoneLeave[2])
	testenv.Check(t, s.ZoneEnter[3] == strings.Repeat("ü", 127), "a long message: %q", s.ZoneEnter[3])
	testenv.Check(t, s.Open.Has(8) && s.Open == SwitchSet{1 << 8} && s.DoubleExplosion, "switches %v", s.Open)
	testenv.Check(t, s.EndlessDrag == 1 && s.Tuning[PlayerCollision] == 0 && s.Tuning[PlayerHooking] == 100, "tiles for the whole map")
	testenv.Check(t, len(m.Faults.List) == 10, "faults %v", m.Faults.List)
	testenv.Check(t, m.Faults.List[4].String() == `map settings: "sv_gametype x": no command or variable of DDRace that a map may have`,
		"fault %s", m.Faults.List[4])
	def := DefaultSettings()
	testenv.Check(t, def.FreezeDelay == 3 && def.PlasmaRange == 700 && def.tuningIn(7)[GunSpeed] == 140000, "defaults")
}

// TestWrongValues checks that wrong values have the effect that they have in DDNet-Server 16.4
// (Linux, amd64), and are reported.
func TestWrongValues(t *testing.T) {
	const smallest = -1 << 31
	for _, c := range []struct {
		line  string
		of    func(*Settings) int32
		value int32
		fault string
	}{
		{"sv_team abc", func(s *Settings) int32 { return s.Team }, 0, "the value is a whole number from 0 to 3; 0 counts"},
		{"sv_team 9", func(s *Settings) int32 { return s.Team }, 3, "the value is a whole number from 0 to 3; 3 counts"},
		{"sv_team 2.5", func(s *Settings) int32 { return s.Team }, 2, "the value is a whole number from 0 to 3; 2 counts"},
		{"sv_team 4294967297", func(s *Settings) int32 { return s.Team }, 1, "the value is a whole number from 0 to 3; 1 counts"},
		{"sv_team 99999999999999999999", func(s *Settings) int32 { return s.Team }, 0, "the value is a whole number from 0 to 3; 0 counts"},
		{`sv_team " 2 "`, func(s *Settings) int32 { return s.Team }, 2, ""},
		{"sv_team +2", func(s *Settings) int32 { return s.Team }, 2, ""},
		{"tune gravity banana", func(s *Settings) int32 { return s.Tuning[Gravity] }, 0, "the value is a number between -21474836 and 21474836; 0.00 counts"},
		{"tune gravity 0.7x", func(s *Settings) int32 { return s.Tuning[Gravity] }, 70, "the value is a number between -21474836 and 21474836; 0.70 counts"},
		{"tune gravity 1e40", func(s *Settings) int32 { return s.Tuning[Gravity] }, smallest,
			"the value is a number between -21474836 and 21474836; -21474836.00 counts"},
		{"tune gravity 21474837", func(s *Settings) int32 { return s.Tuning[Gravity] }, smallest,
			"the value is a number between -21474836 and 21474836; -21474836.00 counts"},
		{"tune gravity -1e400", func(s *Settings) int32 { return s.Tuning[Gravity] }, smallest,
			"the value is a number between -21474836 and 21474836; -21474836.00 counts"},
		{"tune gravity nan", func(s *Settings) int32 { return s.Tuning[Gravity] }, smallest,
			"the value is a number between -21474836 and 21474836; -21474836.00 counts"},
		{"tune gravity -inf", func(s *Settings) int32 { return s.Tuning[Gravity] }, smallest,
			"the value is a number between -21474836 and 21474836; -21474836.00 counts"},
		{"tune gravity -.5e0", func(s *Settings) int32 { return s.Tuning[Gravity] }, -50, ""},
		{"toggle_tune gravity 0.5 x", func(s *Settings) int32 { return s.Tuning[Gravity] }, 0,
			"the value is a number between -21474836 and 21474836; 0.00 counts"},
		{"tune_zone x gravity 3", func(s *Settings) int32 { return s.Zone(0)[Gravity] }, 300,
			"needs a zone from 0 to 255, a parameter and a value; zone 0 counts"},
		{"tune_zone 7 gravity 3x", func(s *Settings) int32 { return s.Zone(7)[Gravity] }, 300,
			"the value is a number between -21474836 and 21474836; 3.00 counts"},
		{"switch_open 3x", func(s *Settings) int32 { return int32(s.Open[0]) }, 1 << 3, "needs a switch from 0 to 255; 3 counts"},
	} {
		s := DefaultSettings()
		var faults Faults
		s.exec(c.line, &faults)
		got := ""
		if len(faults.List) > 0 {
			got = faults.List[0].What
		}
		want := ""
		if c.fault != "" {
			want = strconv.Quote(c.line) + ": " + c.fault
		}
		testenv.Check(t, c.of(&s) == c.value && got == want, "%s: %d, want %d; said %q, want %q", c.line, c.of(&s), c.value, got, want)
	}
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
	testenv.Check(t, LaserDamage == 30 && HookDuration == 37 && HammerFireDelay == 38 && HammerHitFireDelay == 44 &&
		GroundElasticityX == NumTuneParams16 && TuneParamName(47) == "" && TuneParamIndex("x") == -1, "order of the parameters")
}

// TestTuningOfReleases checks that the parameters of DDNet 20 are unknown in 16.4, regardless of
// the line in which a map chooses the release.
func TestTuningOfReleases(t *testing.T) {
	lines := []string{"tune ground_elasticity_x 0.5", `tune_zone 3 ground_elasticity_y "-0.25"`, "toggle_tune GROUND_ELASTICITY_Y 0.8 0"}
	for _, c := range []struct {
		lines    []string
		release  int32
		params   int
		x, y, y3 int32
		faults   int
		said     string
	}{
		{lines, 16, 45, 0, 0, 0, 3, "No such tuning parameter: ground_elasticity_x"},
		{lines, 20, 47, 50, 80, -25, 0, ""},
		{append([]string{}, lines[0], lines[1], lines[2]+"; sv_hit 1; SV_DDNET_PHYSICS 20"), 16, 47, 50, 80, -25, 0, ""},
		{append([]string{"sv_ddnet_physics 16"}, lines...), 20, 45, 0, 0, 0, 3, "No such tuning parameter: ground_elasticity_x"},
	} {
		d := room(4, 4)
		d.Settings = c.lines
		base := DefaultSettings()
		base.Release = c.release
		m := testenv.Must(NewMap(&d.Terrain, base))
		s := &m.Settings
		y3 := s.Zone(3)[GroundElasticityY]
		testenv.Check(t, s.NumTuneParams() == c.params && s.Tuning[GroundElasticityX] == c.x && s.Tuning[GroundElasticityY] == c.y && y3 == c.y3,
			"%v, %d: %d parameters, %d, %d, in zone 3 %d", c.lines, c.release, s.NumTuneParams(), s.Tuning[GroundElasticityX], s.Tuning[GroundElasticityY], y3)
		testenv.Check(t, len(m.Faults.List) == c.faults && (c.faults == 0 || strings.Contains(m.Faults.List[0].What, c.said)),
			"%v: faults %v", c.lines, m.Faults.List)
	}
}

// FuzzSettings checks that any line of a map keeps the variables in range and the faults few.
func FuzzSettings(f *testing.F) {
	for _, s := range []string{`tune gravity 0.5`, `tune_zone 3 "hook_length" 1e9;sv_hit "`, `tune_zone_enter 1 "a\"`, `switch_open -1 # x`,
		`tune gravity 1e+`, `sv_team 99999999999999999999`, `tune gravity -inf`} {
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

// TestIntegerOfSigns reads texts that end before a number begins.
func TestIntegerOfSigns(t *testing.T) {
	for text, want := range map[string]int32{"-": 0, "+": 0, "": 0, "-x": 0, "-4": -4, "+4": 4, "--4": 0, " -12 ": -12} {
		v, exact := integer(text)
		testenv.Check(t, v == want && exact == (want != 0), "%q is %d, %v", text, v, exact)
	}
}

// TestCutCommand splits lines with quotes, also escaped ones, and comments.
func TestCutCommand(t *testing.T) {
	for _, c := range []struct{ line, command, rest string }{
		{`a; b; c`, `a`, ` b; c`},
		{`a "x;y"; b`, `a "x;y"`, ` b`},
		{`a "x \" ; y"; b`, `a "x \" ; y"`, ` b`},
		{`a \" ; b`, `a \" `, ` b`},
		{`a "x \\ ; y"; b`, `a "x \\ ; y"`, ` b`},
		{`a # b; c`, `a `, ``},
		{`a "#"; b`, `a "#"`, ` b`},
		{`a`, `a`, ``},
	} {
		command, rest := cutCommand(c.line)
		testenv.Check(t, command == c.command && rest == c.rest, "%s: %q and %q", c.line, command, rest)
	}
}

// TestJumpTexts checks the message of tiles that set the number of jumps.
func TestJumpTexts(t *testing.T) {
	for n, want := range map[int32]string{-1: "You only have your ground jump now", 0: "You can jump 0 times", 1: "You can jump 1 time",
		2: "You can jump 2 times"} {
		testenv.Check(t, MessageJumps.Text(n) == want, "%d: %q", n, MessageJumps.Text(n))
	}
}
