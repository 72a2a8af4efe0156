package bridge6

import "github.com/teeyard/teeyard/game"

// skin06 is a 0.6 skin: a name, and two colors that apply if useCustomColor is set. A color
// consists of hue, saturation and lightness with eight bits each. Lightness covers only the lighter
// half of the range.
type skin06 struct {
	name                 string
	useCustomColor       bool
	colorBody, colorFeet int32
}

// Indexes of the parts of a 0.7 skin.
const (
	partBody = iota
	partMarking
	partDecoration
	partHands
	partFeet
	partEyes
)

const (
	white            int32 = 0x0000ff           // no hue, full lightness
	whiteOpaque      int32 = -0x1000000 | white // the top byte is alpha, which markings have
	whiteTransparent int32 = 0x22ffffff         // for the markings of skins in custom colors
	defaultSkin            = "default"
)

// newSkin returns a skin with the given part names and colors. For noColor, a part keeps its own
// color.
func newSkin(names [game.NumSkinParts]string, colors [game.NumSkinParts]int64) game.Skin {
	s := game.Skin{PartNames: names}
	for i, c := range colors {
		if c != noColor {
			s.UseCustomColors[i], s.PartColors[i] = true, int32(uint32(c))
		}
	}
	return s
}

const noColor = -1

// standardSkins are the skins of 0.6 with their 0.7 compositions. The last ones are composed
// differently in later releases.
var standardSkins = []struct {
	name string
	skin game.Skin
}{
	{defaultSkin, newSkin([...]string{"standard", "", "", "standard", "standard", "standard"},
		[...]int64{0x1b6f74, noColor, noColor, 0x1b759e, 0x1c873e, noColor})},
	{"bluekitty", newSkin([...]string{"kitty", "whisker", "", "standard", "standard", "standard"},
		[...]int64{0x8476b8, 0xff826ddb, noColor, 0x7852eb, 0x7852eb, noColor})},
	{"bluestripe", newSkin([...]string{"standard", "stripes", "", "standard", "standard", "standard"},
		[...]int64{0x9b747a, noColor, noColor, 0x0b7500, 0x1dad57, noColor})},
	{"brownbear", newSkin([...]string{"bear", "bear", "hair", "standard", "standard", "standard"},
		[...]int64{0x108579, 0xff116ea8, noColor, 0x108579, 0x118126, noColor})},
	{"cammo", newSkin([...]string{"standard", "cammo2", "", "standard", "standard", "standard"},
		[...]int64{0x516546, 0xff4c612d, noColor, 0x0b7500, 0x1dad57, noColor})},
	{"cammostripes", newSkin([...]string{"standard", "cammostripes", "", "standard", "standard", "standard"},
		[...]int64{0x516546, 0xff1d8e00, noColor, 0x0b7500, 0x1dad57, noColor})},
	{"coala", newSkin([...]string{"koala", "twinbelly", "", "standard", "standard", "standard"},
		[...]int64{0x0000b8, 0xff150ce2, noColor, 0x0000b8, 0x950447, noColor})},
	{"limekitty", newSkin([...]string{"kitty", "whisker", "", "standard", "standard", "standard"},
		[...]int64{0x4662c3, 0xff4562e0, noColor, 0x3a68ef, 0x3a68ef, noColor})},
	{"pinky", newSkin([...]string{"standard", "whisker", "", "standard", "standard", "standard"},
		[...]int64{0xf2c9bb, 0xfff3c6d6, noColor, 0xe589da, 0xe589da, noColor})},
	{"redbopp", newSkin([...]string{"standard", "donny", "unibop", "standard", "standard", "standard"},
		[...]int64{0xf6d86c, 0xff02d9ca, 0xf6d86c, 0xf6d86c, 0x7455e9, noColor})},
	{"redstripe", newSkin([...]string{"standard", "stripe", "", "standard", "standard", "standard"},
		[...]int64{0xf8d67b, noColor, noColor, 0x0000b8, 0x950447, noColor})},
	{"saddo", newSkin([...]string{"standard", "saddo", "", "standard", "standard", "standard"},
		[...]int64{0x6d6d7f, 0xff6c3644, noColor, 0x378daa, 0x586177, noColor})},
	{"toptri", newSkin([...]string{"standard", "toptri", "", "standard", "standard", "standard"},
		[...]int64{0x5d5fa3, noColor, noColor, 0x378daa, 0x586177, noColor})},
	{"twinbop", newSkin([...]string{"standard", "duodonny", "twinbopp", "standard", "standard", "standard"},
		[...]int64{0xe99eb7, 0xffe792da, 0xe99eb7, 0xe99eb7, 0x0092e0, noColor})},
	{"twintri", newSkin([...]string{"standard", "twintri", "", "standard", "standard", "standard"},
		[...]int64{0x349c7c, 0xff28dee3, noColor, 0x0000b9, 0x930448, noColor})},
	{"warpaint", newSkin([...]string{"standard", "warpaint", "", "standard", "standard", "standard"},
		[...]int64{0x1dad57, noColor, noColor, 0x0b7301, 0x1dad57, noColor})},

	{"bluekitty", newSkin([...]string{"kitty", "whisker", "", "standard", "standard", "negative"},
		[...]int64{0x8476b8, 0xff826ddb, noColor, 0x7852eb, 0x8752e9, 0x89ff00})},
	{"limekitty", newSkin([...]string{"kitty", "whisker", "", "standard", "standard", "negative"},
		[...]int64{0x4662c3, 0xff4562e0, noColor, 0x3a68ef, 0x3a68ef, 0x7dfa00})},
}

// fromSkin06 converts a 0.6 skin to 0.7: the standard skin of that name, or the default one, in the
// skin's colors.
func fromSkin06(s6 skin06) game.Skin {
	s := standardSkins[0].skin
	for i := range standardSkins {
		if standardSkins[i].name == s6.name {
			s = standardSkins[i].skin
			break
		}
	}
	if s6.useCustomColor {
		body := fromColor06(s6.colorBody)
		for _, p := range [...]struct {
			part  int
			color int32
		}{{partBody, body}, {partMarking, whiteTransparent}, {partDecoration, body}, {partHands, body}, {partFeet, fromColor06(s6.colorFeet)}} {
			s.UseCustomColors[p.part], s.PartColors[p.part] = true, p.color
		}
	}
	return s
}

// toSkin06 converts a 0.7 skin to 0.6. A standard skin gets its name. Any other becomes the most
// similar standard skin, in the colors of its body and feet.
func toSkin06(s *game.Skin) skin06 {
	for i := range standardSkins {
		if sameSkin(s, &standardSkins[i].skin) {
			return skin06{name: standardSkins[i].name}
		}
	}
	// The outline counts most: the body, then the decoration on top of it.
	parts := familiarParts(s)
	best, maxScore := 0, -1
	for i := range standardSkins {
		score := 0
		for p, weight := range [...]int{partBody: 4, partDecoration: 2, partMarking: 1} {
			if parts[p] == standardSkins[i].skin.PartNames[p] {
				score += weight
			}
		}
		if score > maxScore {
			best, maxScore = i, score
		}
	}
	return skin06{
		name: standardSkins[best].name, useCustomColor: true,
		colorBody: toColor06(partColor(s, partBody)), colorFeet: toColor06(partColor(s, partFeet)),
	}
}

// familiarParts returns the names of body, marking and decoration. A name that no standard skin
// uses is replaced by a similar one.
func familiarParts(s *game.Skin) [partDecoration + 1]string {
	parts := [...]string{s.PartNames[partBody], s.PartNames[partMarking], s.PartNames[partDecoration]}
	switch parts[partBody] {
	case "bat", "dog", "fox", "piglet", "raccoon", "x_ninja":
		parts[partBody] = "kitty"
	case "monkey", "mouse":
		parts[partBody] = "koala"
	case "beaver", "hippo":
		parts[partBody], parts[partDecoration] = "standard", "twinbopp"
	case "force", "spiky":
		parts[partBody], parts[partDecoration] = "standard", "unibop"
	}
	switch parts[partDecoration] {
	case "twinmello", "twinpen":
		parts[partDecoration] = "twinbopp"
	case "unimelo", "unipento":
		parts[partDecoration] = "unibop"
	}
	switch parts[partMarking] {
	case "blush":
		parts[partMarking] = "whisker"
	case "cammo1", "tiger1", "tiger2", "wildpatch":
		parts[partMarking] = "cammo2"
	case "marksman", "warstripes":
		parts[partMarking] = "cammostripes"
	case "setisu", "stripes2":
		parts[partMarking] = "warpaint"
	case "sidemarks":
		parts[partMarking] = "stripe"
	case "striped":
		parts[partMarking] = "stripes"
	case "bug", "singu", "tricircular":
		parts[partMarking] = "saddo"
	case "thunder", "triangular", "tritri":
		parts[partMarking] = "toptri"
	case "belly1", "fox", "hipbel", "lowpaint":
		parts[partMarking] = "twintri"
	}
	return parts
}

// sameSkin reports whether two skins look the same. sameSkin ignores the colors of missing parts:
// unconfigured clients send them.
func sameSkin(a, b *game.Skin) bool {
	for i := range a.PartNames {
		if a.PartNames[i] != b.PartNames[i] || a.PartNames[i] != "" && partColor(a, i) != partColor(b, i) {
			return false
		}
	}
	return true
}

// partColor returns the color in which a part is drawn. White keeps the part's own color.
func partColor(s *game.Skin, part int) int32 {
	switch {
	case s.UseCustomColors[part]:
		return s.PartColors[part]
	case part == partMarking:
		return whiteOpaque
	}
	return white
}

// minLightness is the lowest lightness of 0.7 skins, out of 255. In 0.6 it is one half.
const minLightness = 61

// fromColor06 converts a 0.6 color to 0.7.
func fromColor06(c int32) int32 {
	// The 0.6 lightness is 255/2 + l/2 out of 255. The value is doubled here to avoid fractions.
	l := 255 + c&0xff
	return c&0xffff00 | (255*(l-2*minLightness)+(255-minLightness))/(2*(255-minLightness))
}

// toColor06 converts a 0.7 color to 0.6. Colors darker than 0.6 allows become the darkest one.
func toColor06(c int32) int32 {
	// The 0.7 lightness is minLightness + l*(255-minLightness)/255. Subtract 255/2 from it.
	l := 2*(minLightness*255+c&0xff*(255-minLightness)) - 255*255
	return c&0xffff00 | max(l+127, 0)/255
}
