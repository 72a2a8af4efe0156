package client_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/protocol/message/msg6"
)

// TestNumberedMapChunks checks that a 0.6 client asks for no chunk beyond the end, and
// takes each chunk of its map once, in order, whatever else comes.
func TestNumberedMapChunks(t *testing.T) {
	file := smallMap()
	n := (len(file) + msg6.MapChunkSize - 1) / msg6.MapChunkSize
	for name, answer := range map[string]func(hs *hostileServer, chunk int32, send func(int32)){
		"one by one": func(_ *hostileServer, chunk int32, send func(int32)) { send(chunk) },
		"twice":      func(_ *hostileServer, chunk int32, send func(int32)) { send(chunk); send(chunk) },
		"all ahead": func(_ *hostileServer, chunk int32, send func(int32)) { // as DDNet's server
			if chunk == 0 {
				for i := range int32(n) {
					send(i)
				}
			}
		},
		"another's": func(hs *hostileServer, chunk int32, send func(int32)) {
			hs.send(&msg6.MapData{CRC: 1, Chunk: chunk, Data: []byte("x")})
			send(chunk)
		},
		"an empty one first": func(hs *hostileServer, chunk int32, send func(int32)) {
			hs.mapData06(file, chunk, nil)
			send(chunk)
		},
		"others first": func(hs *hostileServer, chunk int32, send func(int32)) {
			if chunk == 3 {
				for i := range int32(4) {
					send(3 - i)
				}
				send(1)
				send(2)
				send(3)
			} else if chunk > 3 {
				send(chunk)
			}
		},
	} {
		hs := newHostileServer(t, client.Config{Version: client.Version06})
		hs.onMapRequest = func(chunk int32) {
			answer(hs, chunk, func(i int32) { hs.mapChunk06(file, i) })
		}
		hs.onInfo = func() { hs.announceMap06(file) }
		hs.connect()
		if m := hs.client.Map(); !hs.ready || m == nil || !bytes.Equal(m.File, file) {
			t.Errorf("%s: ready %v, %v", name, hs.ready, hs.client.Err())
		}
		if len(hs.mapRequests) > n {
			t.Errorf("%s: asked for %v of %d chunks", name, hs.mapRequests, n)
		}
	}
}

// TestNumberedMapChunksOfAnotherMap checks that a 0.6 client refuses what was not
// announced.
func TestNumberedMapChunksOfAnotherMap(t *testing.T) {
	file := smallMap()
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"too much":  {make([]byte, 1000), "instead of"},
		"something": {make([]byte, 600), "is not what was announced"},
	} {
		hs := newHostileServer(t, client.Config{Version: client.Version06})
		small := file[:600]
		hs.onMapRequest = func(chunk int32) { hs.mapData06(small, chunk, c.data) }
		hs.onInfo = func() { hs.announceMap06(small) }
		hs.connect()
		if err := hs.client.Err(); !errors.Is(err, client.ErrMap) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestWhisperNeedsDDNet checks that a 0.6 client whispers only on servers that show that
// they are DDNet's: others would say the whisper to all.
func TestWhisperNeedsDDNet(t *testing.T) {
	hs := newHostileServer(t, client.Config{Version: client.Version06, NoMap: true})
	hs.letIn()
	if err := hs.client.Whisper(3, "psst"); !errors.Is(err, client.ErrVersion) {
		t.Errorf("whispered: %v", err)
	}
	hs.send(&msg6.RconType{})
	hs.run(20 * time.Millisecond)
	if err := hs.client.Whisper(3, "psst"); err != nil {
		t.Error(err)
	}
	hs.run(20 * time.Millisecond)
	if len(hs.chat) != 1 || hs.chat[0] != `/w "me" psst` {
		t.Errorf("said %q", hs.chat)
	}
}
