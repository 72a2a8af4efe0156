package recorder

import (
	"cmp"
	"strings"
	"time"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/bridge/bridge6"
	"github.com/teeyard/teeyard/bridge/bridge7"
	"github.com/teeyard/teeyard/format/demo"
)

// Format is a demo format.
type Format uint8

const (
	// Teeworlds is the format of Teeworlds 0.7.5.
	Teeworlds Format = iota
	// DDNet is the format of DDNet.
	DDNet
)

var formats = [...]struct {
	name     string
	version  int // as in demo.Header
	protocol func() bridge.Protocol
}{
	Teeworlds: {"tw07", demo.VersionTeeworlds, func() bridge.Protocol { return bridge7.NewProtocol() }},
	DDNet:     {"ddnet", demo.VersionDDNet, func() bridge.Protocol { return bridge6.NewProtocol() }},
}

// String returns the format's name: tw07 or ddnet.
func (f Format) String() string { return formats[f].name }

// ParseFormat reads a name that String returns, without regard to case.
func ParseFormat(name string) (Format, bool) {
	for f := range formats {
		if strings.EqualFold(formats[f].name, name) {
			return Format(f), true
		}
	}
	return 0, false
}

// NewProtocol returns the protocol of the clients that can play the format.
func (f Format) NewProtocol() bridge.Protocol { return formats[f].protocol() }

// NeedsUncompressedTiles reports whether clients of this format can read only maps with
// uncompressed tile layers.
func (f Format) NeedsUncompressedTiles() bool { return f.NewProtocol().NeedsUncompressedTiles() }

// Header returns the header of a demo of the map m that begins at the time start. m must be in a
// form that clients of the format can read.
func (c Config) Header(m *bridge.Map, start time.Time) demo.Header {
	f := &formats[c.Format]
	typ := "server"
	if c.OfPlayer {
		typ = "client"
	}
	return demo.Header{
		Version: f.version, NetVersion: f.protocol().NetVersion(), Type: typ,
		MapName: m.Name, MapCRC: m.CRC, MapSHA256: m.SHA256, Time: start.Format(TimeLayout),
	}
}

// newDemoReader returns a ClientSide that reads a demo.
func newDemoReader(h *demo.Header, handler bridge.GameHandler) bridge.ClientSide {
	if h.Protocol() == 7 {
		return bridge7.NewDemoClientSide(handler)
	}
	return bridge6.NewDemoClientSide(handler)
}

// newMessageSide returns a ClientSide that writes the messages of a client.
func newMessageSide(to bridge.Sender, isSeven bool) bridge.ClientSide {
	if isSeven {
		return bridge7.NewClientSide(to, nil)
	}
	return bridge6.NewClientSide(to, nil, bridge6.ClientConfig{DDNetVersion: -1})
}

// TimeLayout is the layout of times in the headers and names of demos.
const TimeLayout = "2006-01-02_15-04-05"

// keyframeInterval returns the number of ticks between two keyframes.
func (c *Config) keyframeInterval() int32 {
	return cmp.Or(max(c.KeyframeInterval, 0), demo.KeyframeInterval)
}

// interval returns the number of ticks between two snapshots.
func (c *Config) interval() int32 { return cmp.Or(max(c.Interval, 0), 2) }
