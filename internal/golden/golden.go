// Package golden has captures of the datagrams between real programs, for tests.
package golden

import (
	"bytes"
	"compress/gzip"
	"embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/internal/pcap"
)

//go:embed testdata
var files embed.FS

// Names of the captures.
const (
	// Join is a 0.7.5 client that joins a 0.7.5 server, plays and leaves, in both directions.
	Join = "teeworlds-0.7.5-dm1.pcap"
	// Server16 has the datagrams of a 0.7.5 server to one of 16 players in 70 s.
	Server16 = "tw16.s2c.pkts"
	// Client16 has the datagrams of this player.
	Client16 = "tw16.c2s.pkts"
	// Join6 is a DDNet 16.4 client that joins a DDNet 16.4 server over 0.6, plays and leaves, in
	// both directions.
	Join6 = "ddnet-16.4-dm1-over-0.6.pcap"
	// DDRace has the datagrams of DDNet-Server 16.4 to a client of release 16.4 that raced on a map
	// with all kinds of entities. DDRace16000 has its datagrams to a client of release 16.0 in the
	// same match.
	DDRace      = "ddnet-16.4-ddrace.s2c.pkts.gz"
	DDRace16000 = "ddnet-16.4-ddrace-16.0.s2c.pkts.gz"
	// DDRaceMap is the map of both.
	DDRaceMap = "ddrace.map"
)

// Datagram is one UDP datagram of a capture.
type Datagram struct {
	// ToServer is the direction: from the client to the server.
	ToServer bool
	// At is the time since the first datagram. It is 0 in captures without times.
	At time.Duration
	// B is the payload.
	B []byte
}

// File returns the bytes of a capture. The caller may change them.
func File(tb testing.TB, name string) []byte {
	tb.Helper()
	b, err := files.ReadFile("testdata/" + name)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// Datagrams returns the datagrams of a capture in order. The caller may change their bytes.
func Datagrams(tb testing.TB, name string) []Datagram {
	tb.Helper()
	var ds []Datagram
	var err error
	b := File(tb, name)
	if strings.HasSuffix(name, ".gz") {
		b = decompress(tb, b)
	}
	if name == Join || name == Join6 {
		ds, err = parsePCAP(b)
	} else {
		ds, err = ParseRecords(b, name == Client16)
	}
	if err != nil {
		tb.Fatalf("%s: %v", name, err)
	}
	return ds
}

func decompress(tb testing.TB, b []byte) []byte {
	tb.Helper()
	r, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		tb.Fatal(err)
	}
	if b, err = io.ReadAll(r); err != nil {
		tb.Fatal(err)
	}
	return b
}

// parsePCAP returns the UDP datagrams of a tcpdump capture. The receiver of the first datagram is
// the server.
func parsePCAP(b []byte) ([]Datagram, error) {
	r, err := pcap.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	var ds []Datagram
	var start time.Time
	var server netip.AddrPort
	for {
		p, err := r.Next()
		if err == io.EOF {
			return ds, nil
		}
		if err != nil {
			return nil, err
		}
		udp, err := p.UDP()
		if err != nil {
			return nil, err
		}
		if ds == nil {
			start, server = p.Time, udp.Dst
		}
		ds = append(ds, Datagram{ToServer: udp.Dst == server, At: p.Time.Sub(start), B: bytes.Clone(udp.Payload)})
	}
}

// ErrFormat means that this package cannot read a file as a capture.
var ErrFormat = errors.New("golden: malformed capture")

// ParseRecords splits a file of records, each a little endian length of 4 bytes and a datagram, all
// in one direction. The result shares the memory of b.
func ParseRecords(b []byte, toServer bool) ([]Datagram, error) {
	var ds []Datagram
	for len(b) > 0 {
		if len(b) < 4 {
			return nil, fmt.Errorf("%w: %d bytes after the last record", ErrFormat, len(b))
		}
		n := int64(binary.LittleEndian.Uint32(b))
		b = b[4:]
		if n > int64(len(b)) {
			return nil, fmt.Errorf("%w: record of %d bytes, %d left", ErrFormat, n, len(b))
		}
		ds = append(ds, Datagram{ToServer: toServer, B: b[:n:n]})
		b = b[n:]
	}
	return ds, nil
}
