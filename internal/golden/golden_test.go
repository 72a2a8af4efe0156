package golden

import (
	"errors"
	"testing"

	"github.com/teeyard/teeyard/internal/pcap"
)

func TestJoin(t *testing.T) {
	ds := Datagrams(t, Join)
	if len(ds) != 743 {
		t.Fatalf("%d datagrams, want 743", len(ds))
	}
	first, second := ds[0], ds[1]
	if !first.ToServer || first.At != 0 || len(first.B) != 520 || first.B[0] != 4 || first.B[7] != 5 {
		t.Errorf("the first datagram is not a token request: %+v", first)
	}
	if second.ToServer || len(second.B) != 12 || second.B[7] != 5 {
		t.Errorf("the second datagram is not a token reply: %+v", second)
	}
	for i := 1; i < len(ds); i++ {
		if ds[i].At < ds[i-1].At {
			t.Errorf("datagram %d is from before its predecessor", i)
		}
	}
}

func TestJoin6(t *testing.T) {
	ds := Datagrams(t, Join6)
	if len(ds) != 1058 {
		t.Fatalf("%d datagrams, want 1058", len(ds))
	}
	if first := ds[0]; !first.ToServer || string(first.B) != "\x10\x00\x00\x01TKEN\xff\xff\xff\xff" {
		t.Errorf("the first datagram is not a CONNECT: %+v", first)
	}
}

func TestRecords(t *testing.T) {
	for name, toServer := range map[string]bool{Server16: false, Client16: true} {
		ds := Datagrams(t, name)
		size := 0
		for i, d := range ds {
			size += 4 + len(d.B)
			if d.ToServer != toServer || len(d.B) < 7 || len(d.B) > 1400 {
				t.Errorf("%s, datagram %d: %d bytes, to server %v", name, i, len(d.B), d.ToServer)
			}
		}
		if size != len(File(t, name)) || len(ds) < 1000 {
			t.Errorf("%s: %d datagrams, %d bytes", name, len(ds), size)
		}
	}
}

func TestMalformed(t *testing.T) {
	whole := File(t, Join)
	for _, n := range []int{0, 30, 1000} {
		if _, err := parsePCAP(whole[:n]); !errors.Is(err, pcap.ErrFormat) && !errors.Is(err, pcap.ErrCutOff) {
			t.Errorf("%d bytes of a pcap file: %v", n, err)
		}
	}
	whole[24+16+14+9] = 6
	if _, err := parsePCAP(whole); !errors.Is(err, pcap.ErrNotUDP) {
		t.Errorf("a TCP segment: %v", err)
	}
	if _, err := ParseRecords([]byte{1, 0, 0}, true); !errors.Is(err, ErrFormat) {
		t.Errorf("half a length: %v", err)
	}
	if _, err := ParseRecords([]byte{0xff, 0xff, 0xff, 0xff, 0}, true); !errors.Is(err, ErrFormat) {
		t.Errorf("length beyond the end: %v", err)
	}
}
