// Package twmap reads, writes and builds Teeworlds maps: tile and quad layers in groups, with
// images, envelopes and the extensions of DDNet.
//
// Parse checks everything that a file declares; see [Config] for the memory limit. Reading and
// writing a map does not change it.
//
// The tile indices of the game layer, for physics and entities, are in gamelayer.go. Functions that
// build a map in code are in paint.go and quads.go.
package twmap

import (
	"crypto/sha256"
	"errors"
)

var (
	// ErrFormat is wrapped by errors about a data file that is not a well-formed map.
	ErrFormat = errors.New("twmap: malformed map")
	// ErrTooLarge is wrapped by errors about a map that needs more memory than Config.MaxDecoded.
	ErrTooLarge = errors.New("twmap: map over the memory limit")
	// ErrNoGameLayer means that a map, such as a menu theme, cannot be played.
	ErrNoGameLayer = errors.New("twmap: the map has no game layer")
)

// Item types of the data file.
const (
	itemVersion   = 0
	itemInfo      = 1
	itemImage     = 2
	itemEnvelope  = 3
	itemGroup     = 4
	itemLayer     = 5
	itemEnvPoints = 6
	itemSound     = 7 // DDNet
)

// Types of layer items.
const (
	layerTiles            = 2
	layerQuads            = 3
	layerSoundsDeprecated = 9  // DDNet, an early layout
	layerSounds           = 10 // DDNet
)

// None marks an absent image, envelope or sound reference.
const None = -1

// Map is a map. The zero value is an empty one.
type Map struct {
	Info      Info
	Images    []Image
	Envelopes []Envelope
	Groups    []Group
	Sounds    []Sound // DDNet
	// UnknownItems contains the items of types that this package does not know. The data blocks
	// that they refer to are lost when the map is written.
	UnknownItems []UnknownItem

	// Size, CRC (IEEE CRC-32) and SHA256 describe the file that the map was parsed from, as used in
	// Sv_MapChange. Size, CRC and SHA256 are zero for a map made in code, and ignored when writing.
	Size   int
	CRC    uint32
	SHA256 [sha256.Size]byte
}

// Info contains the author and origin of a map. All fields are optional.
type Info struct {
	Author, Version, Credits, License string
	// Settings are DDNet's console commands to run with the map.
	Settings []string
}

// Image is a texture or tileset. Tile layers use it as 16×16 tiles.
type Image struct {
	// Name is the file name without folder and extension.
	Name string
	// Width and Height are in pixels.
	Width, Height int32
	// External images are loaded from the client's own mapres folder.
	External bool
	// Format is the image format number of version 2 items: 0 for RGB, 1 for RGBA.
	Format int32
	// Pixels contains the bytes of an embedded image from the top left. An image with 4 bytes per
	// pixel and Format 0 is written as RGBA.
	Pixels []byte
}

// Envelope is an animation curve for positions (3 channels: x, y, rotation) or colors (4 channels:
// r, g, b, a).
type Envelope struct {
	Name     string
	Channels int32
	// Synchronized envelopes follow the server's ticks. Others follow the client's clock.
	Synchronized bool
	Points       []EnvPoint
	// Version is the item version, 1 to 3; 0 counts as 2. From 3 on, points have tangents.
	Version int32
}

// EnvPoint is a point of an envelope.
type EnvPoint struct {
	Time int32 // ms since the envelope's start
	// Curve is the interpolation to the next point: 0 step, 1 linear, 2 slow, 3 fast,
	// 4 smooth, 5 Bézier.
	Curve  int32
	Values [4]int32 // 22.10 fixed point
	// Tangents contains four groups of four channels: in dx (ms), in dy (22.10), out dx, out dy.
	// Tangents are zero except in envelopes of version 3.
	Tangents [16]int32
}

// Group is a list of layers that move together.
type Group struct {
	Name string
	// OffsetX and OffsetY are the position of the group in 1/32 tile.
	OffsetX, OffsetY int32
	// ParallaxX and ParallaxY are the percentages by which the group moves with the camera: 100
	// moves with the game, 0 is fixed to the screen.
	ParallaxX, ParallaxY int32
	// Clip is the visible part of the world in 1/32 tile, or nil for all of it.
	Clip *Rect
	// Layers are drawn in this order. Each is a *TileLayer, *QuadLayer,
	// *SoundLayer or *RawLayer.
	Layers []Layer
	// Version is the item version, 1 to 3; 0 counts as 3.
	Version int32
}

// Rect is a rectangle in 1/32 tile.
type Rect struct{ X, Y, W, H int32 }

// Layer is one of *TileLayer, *QuadLayer, *SoundLayer, *RawLayer.
type Layer interface{ isLayer() }

// Color has four channels, 0 to 255.
type Color struct{ R, G, B, A int32 }

// Flags of a tile.
const (
	FlipV  = 1 // mirrored left to right
	FlipH  = 2 // mirrored top to bottom
	Opaque = 4 // has no transparent pixel; set by editors to speed up drawing
	Rotate = 8 // turned clockwise by 90 degrees
)

// Tile is one cell of a tile layer.
type Tile struct {
	Index, Flags   uint8
	Skip, Reserved uint8 // Skip is 0 in layers read from version 4
}

// TileKind is the purpose of a tile layer. In the file, kinds are flags.
type TileKind int32

const (
	// KindTiles is a visible layer.
	KindTiles TileKind = 0
	// KindGame is the game layer, with collision and entities.
	KindGame TileKind = 1
	// The other kinds are DDNet's. The data of these kinds is in TileLayer.DDNetData.
	KindTele   TileKind = 2
	KindSpeed  TileKind = 4
	KindFront  TileKind = 8
	KindSwitch TileKind = 16
	KindTune   TileKind = 32
)

// TileLayer is a grid of tiles.
type TileLayer struct {
	Name string
	Kind TileKind
	// Flags are the flags of the layer item: 1 marks a detail that clients can hide.
	Flags          int32
	Width, Height  int
	Color          Color
	ColorEnv       int32 // envelope index, or None
	ColorEnvOffset int32 // ms
	Image          int32 // image index, or None
	Tiles          []Tile
	// DDNetData contains the undecoded data of DDNet's kinds in the order tele, speedup, front,
	// switch, tune. DDNetData is nil in other layers.
	DDNetData *[5][]byte
	// Version is the layout in the file. 2 and 3 are the uncompressed layout of 0.6; all clients
	// can read it. 4 is the run-length encoded layout of 0.7. 0 counts as 3.
	Version int32
}

// Point is a position in 1/32 tile with 10 fraction bits, so 32768 is a tile. In texture
// coordinates, 1024 is the image's width or height.
type Point struct{ X, Y int32 }

// Quad is a colored, textured quadrilateral.
type Quad struct {
	// Points are the top left, top right, bottom left and bottom right corner, and the pivot.
	Points         [5]Point
	Colors         [4]Color
	TexCoords      [4]Point
	PosEnv         int32 // envelope index, or None
	PosEnvOffset   int32 // ms
	ColorEnv       int32 // envelope index, or None
	ColorEnvOffset int32 // ms
}

// QuadLayer is a list of quads, drawn in order.
type QuadLayer struct {
	Name  string
	Flags int32 // as in TileLayer
	Image int32 // image index, or None
	Quads []Quad
	// Version is the item version, 1 or 2; 0 counts as 2.
	Version int32
}

// Sound is a sound sample of DDNet.
type Sound struct {
	Name     string
	External bool
	Data     []byte // Opus
}

// SoundLayer is DDNet's layer of sound sources. The sources are not decoded.
type SoundLayer struct {
	Name    string
	Flags   int32
	Count   int32 // number of sources
	Sound   int32 // sound index, or None
	Sources []byte
	Version int32
	// Deprecated is set for the early layer type 9.
	Deprecated bool
}

// RawLayer is a layer of an unknown type. The data blocks that it refers to are lost when the map
// is written.
type RawLayer struct{ Ints []int32 }

// UnknownItem is an item of an unknown type.
type UnknownItem struct {
	Type, ID uint16
	Ints     []int32
}

func (*TileLayer) isLayer()  {}
func (*QuadLayer) isLayer()  {}
func (*SoundLayer) isLayer() {}
func (*RawLayer) isLayer()   {}
