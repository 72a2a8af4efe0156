package hostile

import (
	"bytes"
	"crypto/sha256"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"

	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// messages7 and messages6 are the messages of a server that do not end the match.
var (
	messages7 = []Message{
		&msg7.SvMotd{}, &msg7.SvBroadcast{}, &msg7.SvChat{}, &msg7.SvTeam{}, &msg7.SvKillMsg{}, &msg7.SvTuneParams{}, &msg7.SvWeaponPickup{},
		&msg7.SvEmoticon{}, &msg7.SvVoteClearOptions{}, &msg7.SvVoteOptionListAdd{}, &msg7.SvVoteOptionAdd{}, &msg7.SvVoteOptionRemove{},
		&msg7.SvVoteSet{}, &msg7.SvVoteStatus{}, &msg7.SvServerSettings{}, &msg7.SvClientInfo{}, &msg7.SvGameInfo{}, &msg7.SvClientDrop{},
		&msg7.SvGameMsg{}, &msg7.SvSkinChange{}, &msg7.SvRaceFinish{}, &msg7.SvCheckpoint{}, &msg7.SvCommandInfo{}, &msg7.SvCommandInfoRemove{},
		&msg7.RconAuthOn{}, &msg7.RconAuthOff{}, &msg7.RconLine{}, &msg7.RconCmdAdd{}, &msg7.RconCmdRem{}, &msg7.MaplistEntryAdd{},
		&msg7.MaplistEntryRem{}, &msg7.ServerInfo{}, &msg7.InputTiming{}, &msg7.Ping{}, &msg7.PingReply{}, &msg7.MapData{}, &msg7.ConReady{},
	}
	messages6 = []Message{
		&msg6.SvMotd{}, &msg6.SvBroadcast{}, &msg6.SvChat{}, &msg6.SvKillMsg{}, &msg6.SvSoundGlobal{}, &msg6.SvTuneParams{}, &msg6.SvExtraProjectile{},
		&msg6.SvWeaponPickup{}, &msg6.SvEmoticon{}, &msg6.SvVoteClearOptions{}, &msg6.SvVoteOptionListAdd{}, &msg6.SvVoteOptionAdd{},
		&msg6.SvVoteOptionRemove{}, &msg6.SvVoteSet{}, &msg6.SvVoteStatus{}, &msg6.SvDDRaceTimeLegacy{}, &msg6.SvRecordLegacy{},
		&msg6.SvTeamsStateLegacy{}, &msg6.SvTeamsState{}, &msg6.SvDDRaceTime{}, &msg6.SvRecord{}, &msg6.SvKillMsgTeam{}, &msg6.SvYourVote{},
		&msg6.SvRaceFinish{}, &msg6.SvCommandInfo{}, &msg6.SvCommandInfoRemove{}, &msg6.SvVoteOptionGroupStart{}, &msg6.SvVoteOptionGroupEnd{},
		&msg6.SvCommandInfoGroupStart{}, &msg6.SvCommandInfoGroupEnd{}, &msg6.SvChangeInfoCooldown{}, &msg6.SvMapSoundGlobal{},
		&msg6.SvPreInput{}, &msg6.SvSaveCode{}, &msg6.SvServerAlert{}, &msg6.SvModeratorAlert{}, &msg6.SvMapInfo{}, &msg6.RconType{},
		&msg6.Capabilities{}, &msg6.ChecksumRequest{}, &msg6.Redirect{}, &msg6.RconCmdGroupStart{}, &msg6.RconCmdGroupEnd{}, &msg6.MapDetails{},
		&msg6.MaplistAdd{}, &msg6.MaplistGroupStart{}, &msg6.MaplistGroupEnd{}, &msg6.RconAuthStatus{}, &msg6.RconLine{}, &msg6.RconCmdAdd{},
		&msg6.RconCmdRem{}, &msg6.InputTiming{}, &msg6.Ping{}, &msg6.PingReply{}, &msg6.PingEx{}, &msg6.WhatIs{}, &msg6.MapData{}, &msg6.ConReady{},
	}
)

// Evil are texts that harm a page, a terminal, or the reader.
var Evil = []string{
	`<img src=x onerror=alert(1)>`, `"><script>alert(1)</script>`, "\x1b[2J\a\x00x", "\u202Eeman\u202C", "\u200B\u200B\u200B", "", " ",
	"Z\u0351\u036B\u0343\u036A\u0302\u036B\u033D\u034F\u0334", "\u05D0\u05D1\u05D2", strings.Repeat("\U0001F600", 60), strings.Repeat("\u0600", 60),
	"\xff\xfe\xc0\x80", strings.Repeat("W", 900), strings.Repeat("a\n", 300), "${1}{{x}}%s%n", "../../etc/passwd", "__proto__", "constructor",
	"javascript:alert(1)", "\u2028\u2029", "me", "1", "0", "nameless tee",
}

// Random returns a message of any kind with any content, most of it valid.
func (m *Middle) Random() Message {
	all := messages7
	if m.V6 {
		all = messages6
	}
	v := reflect.New(reflect.TypeOf(all[m.Rand.IntN(len(all))]).Elem())
	fill(m.Rand, v.Elem())
	return v.Interface().(Message)
}

// fill sets all fields of a value.
func fill(r *rand.Rand, v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(r, v.Field(i))
		}
	case reflect.Array:
		for i := range v.Len() {
			fill(r, v.Index(i))
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			text := []byte(Evil[r.IntN(len(Evil))])
			v.SetBytes(text[:min(len(text), 1+r.IntN(900))])
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), r.IntN(5), 5))
		for i := range v.Len() {
			fill(r, v.Index(i))
		}
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case reflect.Int32:
		n := r.Int32N(4)
		if r.IntN(8) == 0 {
			n = Nasty(r)
		}
		v.SetInt(int64(n))
	case reflect.Uint8, reflect.Uint16, reflect.Uint32:
		v.SetUint(uint64(r.Uint32() & 0xff))
	}
}

// SendRandom sends n messages of any kind that fit a datagram.
func (m *Middle) SendRandom(n int) {
	for range n {
		if b := m.Random().Append(nil); len(b) < 1000 {
			m.SendRaw(b, true)
		}
	}
}

// Flood sends as many chat lines, emoticons, deaths and broadcasts as fit into n datagrams.
func (m *Middle) Flood(n int) {
	text := bytes.Repeat([]byte("x<b>"), 8)
	for range 20 * n {
		id := m.Rand.Int32N(64)
		if m.V6 {
			m.Send(&msg6.SvChat{ClientID: id, Message: text}, &msg6.SvEmoticon{ClientID: id, Emoticon: 1}, &msg6.SvBroadcast{Message: text},
				&msg6.SvKillMsg{Killer: id, Victim: (id + 1) % 64, Weapon: 1})
			continue
		}
		m.Send(&msg7.SvChat{ClientID: id, Mode: 1, TargetID: -1, Message: text}, &msg7.SvEmoticon{ClientID: id, Emoticon: 1},
			&msg7.SvBroadcast{Message: text}, &msg7.SvKillMsg{Killer: id, Victim: (id + 1) % 64, Weapon: 1})
	}
}

// Tees returns a snapshot with 64 valid tees that are absurdly far away or fast.
func (m *Middle) Tees() *snapshot.Snapshot {
	r, b := m.Rand, &m.snapshots.builder
	m.beginSnapshot()
	far := func() int32 {
		return []int32{0, 100, 300, 20_000, 1 << 24, 1 << 30, math.MaxInt32, math.MinInt32}[r.IntN(8)] * (1 - 2*r.Int32N(2))
	}
	for id := range 64 {
		core := [15]int32{m.Tick() - r.Int32N(150), far(), far(), far(), far(), far(), r.Int32N(3) - 1, r.Int32N(4), r.Int32N(65) - 1, r.Int32N(6),
			r.Int32N(50), far(), far(), far(), far()}
		typ, size := msg7.TypeCharacter, msg7.SizeCharacter
		if m.V6 {
			typ, size = msg6.TypeCharacter, msg6.SizeCharacter
		}
		copy(b.Add(typ, id, size), core[:])
	}
	out := new(snapshot.Snapshot)
	b.Finish(out)
	return out
}

// Effects returns a snapshot that is full of explosions, deaths, grenades and ninja swords near a
// place.
func (m *Middle) Effects(x, y int32) *snapshot.Snapshot {
	r, b := m.Rand, &m.snapshots.builder
	m.beginSnapshot()
	ninja := int32(msg7.PickupNinja)
	types := [][2]int{{msg7.TypeEventDeath, msg7.SizeEventDeath}, {msg7.TypeEventExplosion, 2}, {msg7.TypeProjectile, 6}, {msg7.TypePickup, 3}}
	if m.V6 {
		ninja = int32(msg6.PickupNinja)
		types = [][2]int{{msg6.TypeEventDeath, msg6.SizeEventDeath}, {msg6.TypeEventExplosion, 2}, {msg6.TypeProjectile, 6}, {msg6.TypePickup, msg6.SizePickup}}
	}
	for n := 0; ; n++ {
		t := types[max(0, r.IntN(8)-4)]
		if !b.HasRoom(1, t[1]) {
			break
		}
		item := b.Add(t[0], 1000+n, t[1])
		copy(item, []int32{x + r.Int32N(800) - 400, y + r.Int32N(600) - 300, 3, 0, 3, m.Tick()})
		if t[0] == msg7.TypePickup { // as in 0.6
			item[2] = ninja
		}
	}
	out := new(snapshot.Snapshot)
	b.Finish(out)
	return out
}

// ChangeMap announces another map, which the client may fetch elsewhere.
func (m *Middle) ChangeMap(name string, file []byte) {
	crc, size, sum := int32(crc32.ChecksumIEEE(file)), int32(len(file)), sha256.Sum256(file)
	if m.V6 {
		m.Send(&msg6.MapDetails{Name: []byte(name), SHA256: sum, CRC: crc, Size: size}, &msg6.MapChange{Name: []byte(name), CRC: crc, Size: size})
		return
	}
	change := &msg7.MapChange{Name: []byte(name), CRC: crc, Size: size, ChunksPerRequest: 8, ChunkSize: 1384}
	change.SHA256.Present, change.SHA256.Sum = true, sum
	m.Send(change)
}
