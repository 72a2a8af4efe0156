package bridge6

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/teeyard/teeyard/game"
)

// TestStandardSkins: what both versions have comes through both ways.
func TestStandardSkins(t *testing.T) {
	names := map[string]bool{}
	for _, s := range standard {
		got := lookOf(&s.skin)
		if got != (look{name: s.name}) {
			t.Errorf("%s is shown as %+v", s.name, got)
		}
		if back := skinOf(got); !names[s.name] && back != s.skin {
			t.Errorf("%s comes back as %+v", s.name, back)
		}
		names[s.name] = true
	}
	if len(names) != 16 {
		t.Errorf("%d standard skins", len(names))
	}
}

// TestFreshClient: a 0.7 client that nobody has configured sets all colours, those
// of missing parts too. It is the default skin nevertheless.
func TestFreshClient(t *testing.T) {
	s := game.Skin{
		PartNames:       [...]string{"standard", "", "", "standard", "standard", "standard"},
		UseCustomColors: [...]bool{true, true, true, true, true, true},
		PartColors:      [...]int32{0x1b6f74, -0xffff01, 0x1b6f74, 0x1b759e, 0x1c873e, 0x0000ff},
	}
	if got := lookOf(&s); got != (look{name: "default"}) {
		t.Errorf("shown as %+v", got)
	}
	s.PartColors[partEyes] = 0x11ff00
	if got := lookOf(&s); !got.custom {
		t.Error("red eyes are not seen")
	}
}

// TestSkins: looks that are told and not found in a table.
func TestSkins(t *testing.T) {
	for _, c := range []struct {
		l    look
		want game.Skin
	}{
		{look{name: "santa"}, standard[0].skin},
		{look{name: "santa", body: 5, feet: 5}, standard[0].skin},
		{look{name: "pinky", custom: true, body: 0x123400, feet: 0x5678ff}, game.Skin{
			PartNames:       [...]string{"standard", "whisker", "", "standard", "standard", "standard"},
			UseCustomColors: [...]bool{true, true, true, true, true, false},
			PartColors:      [...]int32{0x123457, 0x22ffffff, 0x123457, 0x123457, 0x5678ff, 0},
		}},
	} {
		if got := skinOf(c.l); got != c.want {
			t.Errorf("%+v becomes %+v, want %+v", c.l, got, c.want)
		}
	}
	odd := game.Skin{PartNames: [...]string{"bear", "bear", "unibop", "x", "y", "z"}, UseCustomColors: [...]bool{partFeet: true, partEyes: true}, PartColors: [...]int32{partFeet: 0x010203, partEyes: 9}}
	if got, want := lookOf(&odd), (look{name: "brownbear", custom: true, body: 0xff, feet: 0x010200}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestColors: the darkest and the lightest, and that a colour there and back stays
// within a step.
func TestColors(t *testing.T) {
	for six, seven := range map[int32]int32{0: 87, 255: 255, 0xffff00: 0xffff57, 0xffffff: 0xffffff} {
		if got := lightnessUp(six); got != seven {
			t.Errorf("%#x becomes %#x, want %#x", six, got, seven)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		c := rapid.Int32Range(0, 0xffffff).Draw(t, "color")
		up := lightnessUp(c)
		if up&^0xff != c&^0xff {
			t.Fatalf("%#x becomes %#x", c, up)
		}
		if d := lightnessDown(up) - c; d < -1 || d > 1 {
			t.Fatalf("%#x, %#x, comes back as %#x", c, up, lightnessDown(up))
		}
		any := rapid.Int32().Draw(t, "any")
		if got := lightnessDown(any); got < 0 || got > 0xffffff || lightnessUp(any) < 0 || lightnessUp(any) > 0xffffff {
			t.Fatalf("%#x becomes %#x", any, got)
		}
	})
}

// TestLooks: a standard look in any colours keeps its kind, and its colours within a
// step.
func TestLooks(t *testing.T) {
	near := func(a, b int32) bool { return a-b <= 1 && b-a <= 1 }
	rapid.Check(t, func(t *rapid.T) {
		l := look{
			name: standard[rapid.IntRange(0, 15).Draw(t, "skin")].name, custom: true,
			body: rapid.Int32Range(0, 0xffffff).Draw(t, "body"), feet: rapid.Int32Range(0, 0xffffff).Draw(t, "feet"),
		}
		s := skinOf(l)
		got := lookOf(&s)
		if l.name == "limekitty" {
			l.name = "bluekitty" // the same but for its colours
		}
		if got.name != l.name || !got.custom || !near(got.body, l.body) || !near(got.feet, l.feet) {
			t.Fatalf("%+v comes back as %+v", l, got)
		}
	})
}
