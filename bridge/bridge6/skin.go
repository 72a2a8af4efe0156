package bridge6

import "github.com/teeyard/teeyard/game"

// look is a skin as 0.6 has it: one name, and two colours that count if custom is
// set. Colours are hue, saturation and lightness, eight bits each; the darker half
// of the lightness is left out.
type look struct {
	name       string
	custom     bool
	body, feet int32
}

// Parts of a skin, indexes into game.Skin.
const (
	partBody = iota
	partMarking
	partDecoration
	partHands
	partFeet
	partEyes
)

const (
	white       int32 = 0x0000ff           // no hue, full lightness
	whiteSolid  int32 = -0x1000000 | white // markings have an opaqueness in the top byte
	whiteFaint  int32 = 0x22ffffff         // what custom colours leave of a marking
	defaultSkin       = "default"
)

// parts makes a skin of the names and colours of its parts; noColor leaves a part
// as it was painted.
func parts(names [game.NumSkinParts]string, colors [game.NumSkinParts]int64) game.Skin {
	s := game.Skin{PartNames: names}
	for i, c := range colors {
		if c != noColor {
			s.UseCustomColors[i], s.PartColors[i] = true, int32(uint32(c))
		}
	}
	return s
}

const noColor = -1

// standard are the skins that 0.6 comes with, as 0.7 puts them together. Those of
// one name further down are how later versions do it.
var standard = []struct {
	name string
	skin game.Skin
}{
	{defaultSkin, parts([...]string{"standard", "", "", "standard", "standard", "standard"}, [...]int64{0x1b6f74, noColor, noColor, 0x1b759e, 0x1c873e, noColor})},
	{"bluekitty", parts([...]string{"kitty", "whisker", "", "standard", "standard", "standard"}, [...]int64{0x8476b8, 0xff826ddb, noColor, 0x7852eb, 0x7852eb, noColor})},
	{"bluestripe", parts([...]string{"standard", "stripes", "", "standard", "standard", "standard"}, [...]int64{0x9b747a, noColor, noColor, 0x0b7500, 0x1dad57, noColor})},
	{"brownbear", parts([...]string{"bear", "bear", "hair", "standard", "standard", "standard"}, [...]int64{0x108579, 0xff116ea8, noColor, 0x108579, 0x118126, noColor})},
	{"cammo", parts([...]string{"standard", "cammo2", "", "standard", "standard", "standard"}, [...]int64{0x516546, 0xff4c612d, noColor, 0x0b7500, 0x1dad57, noColor})},
	{"cammostripes", parts([...]string{"standard", "cammostripes", "", "standard", "standard", "standard"}, [...]int64{0x516546, 0xff1d8e00, noColor, 0x0b7500, 0x1dad57, noColor})},
	{"coala", parts([...]string{"koala", "twinbelly", "", "standard", "standard", "standard"}, [...]int64{0x0000b8, 0xff150ce2, noColor, 0x0000b8, 0x950447, noColor})},
	{"limekitty", parts([...]string{"kitty", "whisker", "", "standard", "standard", "standard"}, [...]int64{0x4662c3, 0xff4562e0, noColor, 0x3a68ef, 0x3a68ef, noColor})},
	{"pinky", parts([...]string{"standard", "whisker", "", "standard", "standard", "standard"}, [...]int64{0xf2c9bb, 0xfff3c6d6, noColor, 0xe589da, 0xe589da, noColor})},
	{"redbopp", parts([...]string{"standard", "donny", "unibop", "standard", "standard", "standard"}, [...]int64{0xf6d86c, 0xff02d9ca, 0xf6d86c, 0xf6d86c, 0x7455e9, noColor})},
	{"redstripe", parts([...]string{"standard", "stripe", "", "standard", "standard", "standard"}, [...]int64{0xf8d67b, noColor, noColor, 0x0000b8, 0x950447, noColor})},
	{"saddo", parts([...]string{"standard", "saddo", "", "standard", "standard", "standard"}, [...]int64{0x6d6d7f, 0xff6c3644, noColor, 0x378daa, 0x586177, noColor})},
	{"toptri", parts([...]string{"standard", "toptri", "", "standard", "standard", "standard"}, [...]int64{0x5d5fa3, noColor, noColor, 0x378daa, 0x586177, noColor})},
	{"twinbop", parts([...]string{"standard", "duodonny", "twinbopp", "standard", "standard", "standard"}, [...]int64{0xe99eb7, 0xffe792da, 0xe99eb7, 0xe99eb7, 0x0092e0, noColor})},
	{"twintri", parts([...]string{"standard", "twintri", "", "standard", "standard", "standard"}, [...]int64{0x349c7c, 0xff28dee3, noColor, 0x0000b9, 0x930448, noColor})},
	{"warpaint", parts([...]string{"standard", "warpaint", "", "standard", "standard", "standard"}, [...]int64{0x1dad57, noColor, noColor, 0x0b7301, 0x1dad57, noColor})},

	{"bluekitty", parts([...]string{"kitty", "whisker", "", "standard", "standard", "negative"}, [...]int64{0x8476b8, 0xff826ddb, noColor, 0x7852eb, 0x8752e9, 0x89ff00})},
	{"limekitty", parts([...]string{"kitty", "whisker", "", "standard", "standard", "negative"}, [...]int64{0x4662c3, 0xff4562e0, noColor, 0x3a68ef, 0x3a68ef, 0x7dfa00})},
}

// skinOf is how 0.7 shows a look: the standard skin of its name, or the default one,
// in its colours.
func skinOf(l look) game.Skin {
	s := standard[0].skin
	for i := range standard {
		if standard[i].name == l.name {
			s = standard[i].skin
			break
		}
	}
	if l.custom {
		body := lightnessUp(l.body)
		for _, p := range [...]struct {
			part  int
			color int32
		}{{partBody, body}, {partMarking, whiteFaint}, {partDecoration, body}, {partHands, body}, {partFeet, lightnessUp(l.feet)}} {
			s.UseCustomColors[p.part], s.PartColors[p.part] = true, p.color
		}
	}
	return s
}

// lookOf is how 0.6 shows a skin: by its name if it is a standard one, else as the
// standard skin that is most like it, in the colours of body and feet.
func lookOf(s *game.Skin) look {
	for i := range standard {
		if alike(s, &standard[i].skin) {
			return look{name: standard[i].name}
		}
	}
	best, most := 0, -1
	for i := range standard {
		n := 0
		for p := partBody; p <= partDecoration; p++ {
			if s.PartNames[p] == standard[i].skin.PartNames[p] {
				n++
			}
		}
		if n > most {
			best, most = i, n
		}
	}
	return look{
		name: standard[best].name, custom: true,
		body: lightnessDown(shown(s, partBody)), feet: lightnessDown(shown(s, partFeet)),
	}
}

// alike tells whether two skins look the same. Clients that were never told
// otherwise say that all parts have a colour, also those that are not there.
func alike(a, b *game.Skin) bool {
	for i := range a.PartNames {
		if a.PartNames[i] != b.PartNames[i] || a.PartNames[i] != "" && shown(a, i) != shown(b, i) {
			return false
		}
	}
	return true
}

// shown is the colour a part is painted with: white leaves it as it was painted.
func shown(s *game.Skin, part int) int32 {
	switch {
	case s.UseCustomColors[part]:
		return s.PartColors[part]
	case part == partMarking:
		return whiteSolid
	}
	return white
}

// The darkest lightness that a colour can have: 0 of 255 is black's half in 0.6, and
// 61/255 of white in 0.7.
const darkest = 61

// lightnessUp makes a 0.7 colour of a 0.6 colour.
func lightnessUp(c int32) int32 {
	// 255/2 + l/2 of 255 is its lightness; doubled, to stay in whole numbers.
	l := 255 + c&0xff
	return c&0xffff00 | (255*(l-2*darkest)+(255-darkest))/(2*(255-darkest))
}

// lightnessDown makes a 0.6 colour of a 0.7 colour. What is too dark becomes as dark
// as can be.
func lightnessDown(c int32) int32 {
	// darkest + l*(255-darkest)/255, from which half of 255 is taken off.
	l := 2*(darkest*255+c&0xff*(255-darkest)) - 255*255
	return c&0xffff00 | max(l+127, 0)/255
}
