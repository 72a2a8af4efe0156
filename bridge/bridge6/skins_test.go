package bridge6

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/teeyard/teeyard/game"
)

// TestStandardSkins checks both conversions of the skins that exist in both versions.
func TestStandardSkins(t *testing.T) {
	names := map[string]bool{}
	for _, s := range standardSkins {
		got := toSkin06(&s.skin)
		if got != (skin06{name: s.name}) {
			t.Errorf("%s becomes %+v", s.name, got)
		}
		if back := fromSkin06(got); !names[s.name] && back != s.skin {
			t.Errorf("skin %s converted both ways is %+v", s.name, back)
		}
		names[s.name] = true
	}
	if len(names) != 16 {
		t.Errorf("%d standard skins", len(names))
	}
}

// TestUnconfiguredSkin checks a new 0.7 client's skin. The skin sets the colors of all parts, even
// missing ones, and must become the default skin.
func TestUnconfiguredSkin(t *testing.T) {
	s := game.Skin{
		PartNames:       [...]string{"standard", "", "", "standard", "standard", "standard"},
		UseCustomColors: [...]bool{true, true, true, true, true, true},
		PartColors:      [...]int32{0x1b6f74, -0xffff01, 0x1b6f74, 0x1b759e, 0x1c873e, 0x0000ff},
	}
	if got := toSkin06(&s); got != (skin06{name: "default"}) {
		t.Errorf("becomes %+v", got)
	}
	s.PartColors[partEyes] = 0x11ff00
	if got := toSkin06(&s); !got.useCustomColor {
		t.Error("sameSkin ignores red eyes")
	}
}

// TestOtherSkins checks skins that are not standard skins.
func TestOtherSkins(t *testing.T) {
	for _, c := range []struct {
		l    skin06
		want game.Skin
	}{
		{skin06{name: "santa"}, standardSkins[0].skin},
		{skin06{name: "santa", colorBody: 5, colorFeet: 5}, standardSkins[0].skin},
		{skin06{name: "pinky", useCustomColor: true, colorBody: 0x123400, colorFeet: 0x5678ff}, game.Skin{
			PartNames:       [...]string{"standard", "whisker", "", "standard", "standard", "standard"},
			UseCustomColors: [...]bool{true, true, true, true, true, false},
			PartColors:      [...]int32{0x123457, 0x22ffffff, 0x123457, 0x123457, 0x5678ff, 0},
		}},
	} {
		if got := fromSkin06(c.l); got != c.want {
			t.Errorf("%+v becomes %+v, want %+v", c.l, got, c.want)
		}
	}
	odd := game.Skin{PartNames: [...]string{"bear", "bear", "unibop", "x", "y", "z"},
		UseCustomColors: [...]bool{partFeet: true, partEyes: true}, PartColors: [...]int32{partFeet: 0x010203, partEyes: 9}}
	if got, want := toSkin06(&odd), (skin06{name: "brownbear", useCustomColor: true, colorBody: 0xff, colorFeet: 0x010200}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestSimilarSkins checks that a skin unknown to 0.6 becomes the standard skin that it resembles,
// in its own colors.
func TestSimilarSkins(t *testing.T) {
	for parts, want := range map[[3]string]string{
		{"fox", "", ""}: "bluekitty", {"kitty", "", ""}: "bluekitty", {"bear", "", ""}: "brownbear", {"koala", "", ""}: "coala",
		{"mouse", "mice", ""}: "coala", {"hippo", "hipbel", ""}: "twinbop", {"spiky", "", ""}: "redbopp",
		{"bear", "panda1", "hair"}: "brownbear", {"standard", "", "unimelo"}: "redbopp", {"standard", "saddo", "twinpen"}: "twinbop",
		{"standard", "tiger1", ""}: "cammo", {"standard", "warpaint", ""}: "warpaint", {"standard", "stripes", ""}: "bluestripe",
		{"standard", "yinyang", ""}: defaultSkin, {"standard", "", ""}: defaultSkin, {"of a mod", "", ""}: defaultSkin,
	} {
		s := game.Skin{PartNames: [...]string{parts[0], parts[1], parts[2], "standard", "standard", "standard"}}
		s.UseCustomColors[partBody], s.PartColors[partBody] = true, 0x123457
		s.UseCustomColors[partFeet], s.PartColors[partFeet] = true, 0x5678ff
		if got, want := toSkin06(&s), (skin06{want, true, 0x123400, 0x5678ff}); got != want {
			t.Errorf("%q becomes %+v, want %+v", parts, got, want)
		}
	}
}

// TestColors checks the darkest and the lightest color, and that converting a color both ways
// changes it by at most one step.
func TestColors(t *testing.T) {
	for six, seven := range map[int32]int32{0: 87, 255: 255, 0xffff00: 0xffff57, 0xffffff: 0xffffff} {
		if got := fromColor06(six); got != seven {
			t.Errorf("%#x becomes %#x, want %#x", six, got, seven)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		c := rapid.Int32Range(0, 0xffffff).Draw(t, "color")
		up := fromColor06(c)
		if up&^0xff != c&^0xff {
			t.Fatalf("%#x becomes %#x", c, up)
		}
		if d := toColor06(up) - c; d < -1 || d > 1 {
			t.Fatalf("color %#x becomes %#x, and then %#x", c, up, toColor06(up))
		}
		any := rapid.Int32().Draw(t, "any")
		if got := toColor06(any); got < 0 || got > 0xffffff || fromColor06(any) < 0 || fromColor06(any) > 0xffffff {
			t.Fatalf("%#x becomes %#x", any, got)
		}
	})
}

// TestCustomColors checks that a standard skin in any colors keeps its name, and that its colors
// change by at most one step.
func TestCustomColors(t *testing.T) {
	near := func(a, b int32) bool { return a-b <= 1 && b-a <= 1 }
	rapid.Check(t, func(t *rapid.T) {
		l := skin06{
			name: standardSkins[rapid.IntRange(0, 15).Draw(t, "skin")].name, useCustomColor: true,
			colorBody: rapid.Int32Range(0, 0xffffff).Draw(t, "body"), colorFeet: rapid.Int32Range(0, 0xffffff).Draw(t, "feet"),
		}
		s := fromSkin06(l)
		got := toSkin06(&s)
		if l.name == "limekitty" {
			l.name = "bluekitty" // differs only in color
		}
		if got.name != l.name || !got.useCustomColor || !near(got.colorBody, l.colorBody) || !near(got.colorFeet, l.colorFeet) {
			t.Fatalf("skin %+v converted both ways is %+v", l, got)
		}
	})
}
