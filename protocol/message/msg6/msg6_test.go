package msg6

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/teeyard/teeyard/internal/messagetest"
	"github.com/teeyard/teeyard/protocol/message"
	"github.com/teeyard/teeyard/protocol/packer"
	"pgregory.net/rapid"
)

func TestErrorsNameTheField(t *testing.T) {
	ping := string(extendedUUIDs[IDPingEx.Number()-firstExtended][:])
	group := string(extendedUUIDs[IDRconCmdGroupStart.Number()-firstExtended][:])
	suite.Errors(t, []messagetest.ErrorCase{
		{"", packer.ErrShort, "msg6: message.id: packer: data ends too early"},
		{"\x06\x04\x00x\x00", message.ErrRange, "msg6: Sv_Chat.Mode = 4: out of range"},
		{"\x06\x42\x00x\x00", message.ErrRange, "msg6: Sv_Chat.Mode = -3: out of range"},
		{"\x06\x01\x41x\x00", message.ErrRange, "msg6: Sv_Chat.ClientID = -2: out of range"},
		{"\x06\x01\x80\x02x\x00", message.ErrRange, "msg6: Sv_Chat.ClientID = 128: out of range"},
		{"\x06\x01\x00x", packer.ErrUnterminated, "msg6: Sv_Chat.Message: packer: string without NUL"},
		{"\x06\x01\x00", packer.ErrShort, "msg6: Sv_Chat.Message: packer: data ends too early"},
		{"\x28n\x00c\x00\x00s", packer.ErrUnterminated, "msg6: Cl_StartInfo.Profile.Skin: packer: string without NUL"},
		{"\x28n\x00c\x00\x00s\x00\x02", message.ErrRange, "msg6: Cl_StartInfo.Profile.UseCustomColor = 2: out of range"},
		{"\x22\x02hi\x00", message.ErrRange, "msg6: Cl_Say.Team = 2: out of range"},
		{"\x22\x40hi\x00", message.ErrRange, "msg6: Cl_Say.Team = -1: out of range"},
		{"\x18\x00", message.ErrRange, "msg6: Sv_VoteOptionListAdd.Count = 0: out of range"},
		{"\x18\x10", message.ErrRange, "msg6: Sv_VoteOptionListAdd.Count = 16: out of range"},
		{"\x18\x01a\x00b\x00", packer.ErrShort, "msg6: Sv_VoteOptionListAdd.Descriptions: packer: data ends too early"},
		{"\x1e\x3d\x00\x00", message.ErrRange, "msg6: Sv_VoteSet.Timeout = 61: out of range"},
		{"\x0b\x01\x02\x02\x02\x00\x00", message.ErrRange, "msg6: SNAP.Part = 2: out of range"},
		{"\x0b\x01\x02\x81\x01\x02\x00\x00", message.ErrRange, "msg6: SNAP.Parts = 65: out of range"},
		{"\x0f\x01\x02\x00\x85\x0e", message.ErrRange, "msg6: SNAPSINGLE.Data = 901: out of range"},
		{"\x0f\x01\x02\x00\x05abcd", packer.ErrShort, "msg6: SNAPSINGLE.Data: packer: data ends too early"},
		{"\x21\x00\x00\x84\x08", message.ErrRange, "msg6: INPUT.Size = 516: out of range"},
		{"\x21\x00\x00", packer.ErrShort, "msg6: INPUT.Size: packer: data ends too early"},
		{"\x11", message.ErrReserved, "msg6: system message 8 (SNAPSMALL): reserved"},
		{"\x3a", message.ErrReserved, "msg6: game message 29 (Unused): reserved"},
		{"\x37", message.ErrUnknown, "msg6: system message 27: unknown"},
		{"\x80\x01", message.ErrUnknown, "msg6: game message 32: unknown"},
		{"\x40", message.ErrUnknown, "msg6: system message -1: unknown"},
		{"\x01", packer.ErrShort, "msg6: EX.UUID: packer: data ends too early"},
		{"\x00123456789012345", packer.ErrShort, "msg6: GAME_EX.UUID: packer: data ends too early"},
		{"\x01" + ping + "123456789012345", packer.ErrShort, "msg6: PINGEX.PingID: packer: data ends too early"},
		{"\x01" + group + "\x40", message.ErrRange, "msg6: RCON_CMD_GROUP_START.Count = -1: out of range"},
	})
	var d ObjectDecoder
	for _, v := range []struct {
		typ, n int
		want   string
	}{
		{TypePickup, 3, "msg6: Pickup = 3: wrong size, want 4 integers"},
		{TypeDDNetLaser, 6, "msg6: DDNetLaser = 6: wrong size, want 7 integers or more"},
		{TypeSpecChar, 1, "msg6: SpecChar = 1: wrong size, want 2 integers or more"},
		{TypeEx, 3, "msg6: Ex = 3: wrong size, want 4 integers or more"},
	} {
		if _, err := d.Decode(v.typ, make([]int32, v.n)); !errors.Is(err, message.ErrSize) || err.Error() != v.want {
			t.Errorf("%v, want %s", err, v.want)
		}
	}
}

func TestInputQuirks(t *testing.T) {
	suite.Inputs(t, []messagetest.InputCase{
		{"as sent by the original", 40, 10, 10, 0},
		{"one word missing", 40, 9, 10, 1},
		{"no words", 40, 0, 10, 10},
		{"size of three bytes more", 43, 10, 10, 0},
		{"largest", 515, 128, 128, 0},
		{"negative size", -40, 0, 0, 0},
	}, func(c messagetest.InputCase, ints []int32) Message {
		in := &Input{AckTick: -1, IntendedTick: 100, Size: c.Size, Missing: c.Missing}
		copy(in.Words[:], ints)
		return in
	})
}

func TestInputPlayer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := *suite.DrawObject(t, TypePlayerInput).(*PlayerInput)
		var m Input
		m.Words[20] = 7
		m.SetPlayer(&want)
		var got PlayerInput
		if m.Player(&got); got != want || m.Count() != SizePlayerInput || m.Words[20] != 0 {
			t.Fatalf("%+v, %d words; want %+v", got, m.Count(), want)
		}
		m.Words[0], m.Words[3] = 1<<31-1, -7
		if m.Player(&got); got.Direction != 1<<31-1 || got.Jump != -7 {
			t.Fatalf("%+v", got)
		}
	})
}

// TestUUIDs compares with the UUIDs that DDNet's programs use.
func TestUUIDs(t *testing.T) {
	for name, want := range map[string]string{
		"what-is@ddnet.tw":                 "245e5097-9fe0-39d6-bf7d-9a29e1691e4c",
		"it-is@ddnet.tw":                   "6954847e-2e87-3603-b562-36da29ed1aca",
		"i-dont-know@ddnet.tw":             "416911b5-7973-33bf-8d52-7bf01e519cf0",
		"rcon-type@ddnet.tw":               "12810e1f-a1db-3378-b4fb-164ed6505926",
		"map-details@ddnet.tw":             "f9117b3c-8039-3416-9fc0-aef2bcb75c03",
		"capabilities@ddnet.tw":            "f621a5a1-f585-3775-8e73-41beee79f2b2",
		"clientver@ddnet.tw":               "8c001304-8461-3e47-8787-f672b3835bd4",
		"ping@ddnet.tw":                    "bcb43bf5-427c-36d8-b5b8-7975c8c06aa1",
		"pong@ddnet.tw":                    "d8295530-14a7-3a0a-b02e-b2cee08d2033",
		"checksum-request@ddnet.tw":        "60a7cef1-2ecc-3ed4-b138-00fd0c8f5994",
		"checksum-response@ddnet.tw":       "88fc61ec",
		"checksum-error@ddnet.tw":          "090960d1",
		"redirect@ddnet.org":               "4efe406a-7774-33f1-bfde-1806ff6d1528",
		"reconnect@ddnet.org":              "5f4d5db7-3947-3711-b04e-07a1ff23c970",
		"map-reload@ddnet.org":             "9a9b28a3",
		"rcon-cmd-group-start@ddnet.org":   "85f67ffe",
		"rcon-cmd-group-end@ddnet.org":     "5e02c980",
		"showothers@netmsg.ddnet.tw":       "7f264cdd-71a2-3962-bbce-0f94bbd81913",
		"show-distance@netmsg.ddnet.tw":    "53bb28af-4252-3ac9-8fd3-6ccbc2a603e3",
		"camera-info@netmsg.ddnet.org":     "8c470228",
		"teamsstate@netmsg.ddnet.tw":       "a091961a-95e8-3744-bb60-5eac9bd563c6",
		"ddrace-time@netmsg.ddnet.tw":      "5dde8b3c",
		"record@netmsg.ddnet.tw":           "804f149f-9b53-3b0a-897f-59663a1c4eb9",
		"character@netobj.ddnet.tw":        "76ce455b-f9eb-3a48-add7-e04b941d045c",
		"player@netobj.ddnet.tw":           "22ca938d-1380-3e2b-9e7b-d2558ea6be11",
		"gameinfo@netobj.ddnet.tw":         "933dea6a-da79-30ea-a98f-8af03689a945",
		"laser@netobj.ddnet.tw":            "29de68a2-6928-31b8-8360-a2307e0d844f",
		"projectile@netobj.ddnet.tw":       "0e6db85c-2b61-386f-bbf2-d0d0471b9272",
		"ddnet-projectile@netobj.ddnet.tw": "6550fbce-f317-3b31-8ffe-d2b37f3ab40e",
		"pickup@netobj.ddnet.tw":           "ea5e4a51-58fb-3684-96e4-e0d267f4ca65",
		"spec-char@netobj.ddnet.tw":        "4b801c74-e24c-3ce0-b92c-b754d02cfc8a",
		"entity-ex@netobj.ddnet.tw":        "2de9aec3",
		"switch-state@netobj.ddnet.tw":     "ec15e669",
	} {
		u := message.UUIDFromName(name)
		if got := u.String(); !strings.HasPrefix(got, want) {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
		if got := ExtensionName(u); got != name {
			t.Errorf("%v has the name %q, want %q", u, got, name)
		}
	}
	if got := ExtensionName(UUID{1}); got != "" {
		t.Errorf("no UUID is called %q", got)
	}
}

// TestExtendedTables checks that the generated UUIDs match their names.
func TestExtendedTables(t *testing.T) {
	seen := map[UUID]string{}
	note := func(u UUID, name string) {
		if seen[u] != "" || u != message.UUIDFromName(name) {
			t.Errorf("%s has the UUID %v, as has %q", name, u, seen[u])
		}
		seen[u] = name
	}
	for _, id := range suite.IDs() {
		u, ok := id.UUID()
		if ok != id.Extended() {
			t.Errorf("%v: UUID %v, %v", id, u, ok)
		}
		if !ok {
			continue
		}
		note(u, id.Desc().Extension)
		if got, ok := ExtendedID(u, id.System()); got != id || !ok {
			t.Errorf("%v is the id of %v, %v", u, got, ok)
		}
		if _, ok := ExtendedID(u, !id.System()); ok {
			t.Errorf("%v is known in the wrong layer", id)
		}
		if other := (id ^ 1).Desc(); other != nil {
			t.Errorf("%d has the description of %s", id^1, other.Name)
		}
	}
	for i, e := range extendedTypes {
		note(e.uuid, e.extension)
		typ := firstExtendedType + i
		u, ok := TypeUUID(typ)
		if got, known := ExtendedType(u); !ok || !known || got != typ || !slices.Contains(suite.Types(), typ) {
			t.Errorf("%s: %v, %d", e.name, u, got)
		}
	}
	if len(seen) != len(extendedDescs)+len(extendedTypes) || len(seen) < 60 {
		t.Errorf("%d UUIDs", len(seen))
	}
	if _, ok := TypeUUID(TypePickup); ok {
		t.Error("a Pickup has a UUID")
	}
	if typ, ok := ExtendedType(UUID{1}); ok || typ != TypeUnknown {
		t.Errorf("type %d without a UUID", typ)
	}
	if _, ok := IDInfo.UUID(); ok {
		t.Error("INFO has a UUID")
	}
}

// TestUnknownExtended checks that messages of later DDNet releases are kept unchanged.
func TestUnknownExtended(t *testing.T) {
	u := message.UUIDFromName("my-own-message@heinrich5991.de")
	for _, system := range []byte{0, 1} {
		b := append([]byte{system}, u[:]...)
		b = append(b, "rest"...)
		var d Decoder
		m, err := d.Decode(bytes.Clone(b))
		if err != nil {
			t.Fatal(err)
		}
		var id UUID
		var data []byte
		switch m := m.(type) {
		case *SystemEx:
			id, data = m.UUID, m.Data
		case *GameEx:
			id, data = m.UUID, m.Data
		}
		if id != u || string(data) != "rest" || m.ID().System() != (system == 1) || m.ID().Number() != 0 {
			t.Errorf("%T %+v", m, m)
		}
		if out := m.Append(nil); !bytes.Equal(out, b) {
			t.Errorf("wrote %x, want %x", out, b)
		}
	}
	// A known UUID in the wrong layer is unknown.
	ping := message.UUIDFromName("ping@ddnet.tw")
	var d Decoder
	m, err := d.Decode(append([]byte{0}, ping[:]...))
	if got, ok := m.(*GameEx); err != nil || !ok || got.UUID != ping {
		t.Errorf("%+v, %v", m, err)
	}
}

func TestRegistry(t *testing.T) {
	var w, r TypeRegistry
	put := func(typ int) (int, bool) {
		n, first := w.WireType(typ)
		if first {
			u, _ := TypeUUID(typ)
			ints := make([]int32, SizeEx)
			(&Ex{UUID: u}).PutInts(ints)
			r.AddEx(n, ints)
		}
		return n, first
	}
	for round := range 2 {
		w.BeginSnapshot()
		r.Reset()
		for i, typ := range []int{TypeDDNetPlayer, TypeGameInfoEx, TypeDDNetPlayer, TypePickup} {
			want := []int{0x7fff, 0x7ffe, 0x7fff, TypePickup}[i]
			n, first := put(typ)
			if n != want || first != (i < 2) {
				t.Errorf("round %d, %s: %#x, %v", round, ObjectName(typ), n, first)
			}
			if got := r.Type(n); got != typ {
				t.Errorf("round %d, %s: read as %s", round, ObjectName(typ), ObjectName(got))
			}
		}
	}
	for n, want := range map[int]int{0x7ffd: TypeUnknown, 0x4000: TypeUnknown, 0x3fff: 0x3fff, 0: TypeEx} {
		if got := r.Type(n); got != want {
			t.Errorf("%#x stands for %d, want %d", n, got, want)
		}
	}
	// An Ex with an unknown UUID or a wrong size changes nothing.
	u := UUID(extendedTypes[0].uuid)
	ints := make([]int32, SizeEx)
	(&Ex{UUID: u}).PutInts(ints)
	r.Reset()
	for _, id := range []int{-1, 0, 3, LastExtendedWireType - 1, FirstExtendedWireType + 1, 1 << 20} {
		r.AddEx(id, ints)
	}
	r.AddEx(LastExtendedWireType, ints[:3])
	if r != (TypeRegistry{}) {
		t.Errorf("%+v", r)
	}
	// The last Ex of a type counts.
	r.AddEx(LastExtendedWireType, ints)
	if got := r.Type(LastExtendedWireType); got != firstExtendedType {
		t.Errorf("%d", got)
	}
	r.AddEx(LastExtendedWireType, make([]int32, SizeEx))
	if got := r.Type(LastExtendedWireType); got != TypeUnknown {
		t.Errorf("%d", got)
	}
	// All types together have different numbers on the wire.
	var all TypeRegistry
	seen := map[int]bool{}
	for i := range extendedTypes {
		n, first := all.WireType(firstExtendedType + i)
		if seen[n] || !first || n < LastExtendedWireType {
			t.Errorf("%#x, %v", n, first)
		}
		seen[n] = true
	}
}

func TestRegistryProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var r TypeRegistry
		model := map[int]int{} // type by number on the wire
		for range rapid.IntRange(0, 20).Draw(t, "steps") {
			typ := firstExtendedType + rapid.IntRange(0, len(extendedTypes)).Draw(t, "type")
			n := rapid.IntRange(FirstExtendedWireType-4, FirstExtendedWireType).Draw(t, "number")
			u, known := TypeUUID(typ)
			ints := make([]int32, SizeEx)
			(&Ex{UUID: u}).PutInts(ints)
			r.AddEx(n, ints)
			for k, v := range model {
				if v == typ {
					delete(model, k) // a type has only one number
				}
			}
			delete(model, n)
			if known {
				model[n] = typ
			}
			for n := FirstExtendedWireType - 5; n <= FirstExtendedWireType; n++ {
				want, ok := model[n]
				if !ok {
					want = TypeUnknown
				}
				if got := r.Type(n); got != want {
					t.Fatalf("%#x stands for %d, want %d", n, got, want)
				}
			}
		}
	})
}

// TestDefaultsOfMessages cuts off fields that may be missing.
func TestDefaultsOfMessages(t *testing.T) {
	var d Decoder
	m, err := d.Decode((&RconAuth{Name: []byte("n"), Password: []byte("p"), SendCommands: 1}).Append(nil)[:5])
	if auth, ok := m.(*RconAuth); !ok || err != nil || auth.SendCommands != 0 || string(auth.Password) != "p" {
		t.Errorf("%+v, %v", m, err)
	}
	m, err = d.Decode((&ClIsDDNetLegacy{Version: 16040}).Append(nil)[:1])
	if v, ok := m.(*ClIsDDNetLegacy); !ok || err != nil || v.Version != VersionDDRace {
		t.Errorf("%+v, %v", m, err)
	}
}

func TestIntegersToTheEnd(t *testing.T) {
	var d Decoder
	many := &SvTuneParams{Params: make([]int32, 70)}
	m, err := d.Decode(many.Append(nil))
	if p := m.(*SvTuneParams); err != nil || len(p.Params) != 64 || d.TrailingBytes() != 6 {
		t.Errorf("%d parameters, %d left, %v", len(p.Params), d.TrailingBytes(), err)
	}
	// The last integer is truncated. Those before it count.
	m, err = d.Decode([]byte{byte(IDSvTuneParams), 1, 2, 0x80})
	if p := m.(*SvTuneParams); err != nil || !slices.Equal(p.Params, []int32{1, 2}) {
		t.Errorf("%v, %v", p.Params, err)
	}
}

func TestStrToInts(t *testing.T) {
	var ints [4]int32
	StrToInts(nil, []byte("x"))
	for _, v := range []struct{ in, want string }{
		{"123456789012345", "123456789012345"},
		{"1234567890123456", "123456789012345"},
		{"12345678901234é", "12345678901234"},
		{"1234567890123é", "1234567890123é"},
		{"123456789012€€", "123456789012€"},
		{"1234567890123€", "1234567890123"},
		{"123456789012\U0001f600", "123456789012"},
		{"12345678901\U0001f600", "12345678901\U0001f600"},
		{"12345678901234\x80\x80\x80", "12345678901234\x80"},
		{"a\x00b", "a"},
	} {
		StrToInts(ints[:], []byte(v.in))
		if got := message.AppendIntsToStr(nil, ints[:]); string(got) != v.want {
			t.Errorf("%q reads back as %q, want %q", v.in, got, v.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(rapid.SliceOf(rapid.Byte()), rapid.Map(rapid.String(), func(s string) []byte { return []byte(s) })).Draw(t, "s")
		ints := make([]int32, rapid.IntRange(1, 6).Draw(t, "n"))
		StrToInts(ints, s)
		got := message.AppendIntsToStr([]byte("x"), ints)[1:]
		whole, _, _ := bytes.Cut(s, []byte{0})
		if !bytes.HasPrefix(whole, got) || len(got) < min(len(whole), 4*len(ints)-1)-3 {
			t.Fatalf("%q in %d integers reads back as %q", s, len(ints), got)
		}
		if utf8.Valid(s) && !utf8.Valid(got) {
			t.Fatalf("%q was cut inside a sequence: %q", s, got)
		}
	})
}

func TestSetProfile(t *testing.T) {
	l := PlayerProfile{Name: []byte("a name of 15 by"), Clan: []byte("eleven byte"), Country: 276,
		Skin: []byte("a skin name of 23 bytes"), UseCustomColor: true, ColorBody: 65408, ColorFeet: 7}
	o := ClientInfo{Country: 1}
	o.SetProfile(&l)
	for i, got := range [][]byte{message.AppendIntsToStr(nil, o.Name[:]), message.AppendIntsToStr(nil, o.Clan[:]), message.AppendIntsToStr(nil, o.Skin[:])} {
		if want := [][]byte{l.Name, l.Clan, l.Skin}[i]; !bytes.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if len(l.Name) != MaxName || len(l.Clan) != MaxClan || len(l.Skin) != MaxSkin {
		t.Error("the texts do not fill their fields")
	}
	if o.Country != 276 || o.UseCustomColor != 1 || o.ColorBody != 65408 || o.ColorFeet != 7 {
		t.Errorf("%+v", o)
	}
	l.UseCustomColor = false
	if o.SetProfile(&l); o.UseCustomColor != 0 {
		t.Errorf("%+v", o)
	}
}

func TestNames(t *testing.T) {
	for got, want := range map[string]string{
		WeaponNinja.String():                        "Ninja",
		Weapon(6).String():                          "6",
		ChatMode(-2).String():                       "-2",
		ChatWhisperReceived.String():                "WhisperReceived",
		(GameFlagTeams | GameFlagFlags).String():    "Teams|Flags",
		GameInfoEntitiesBW.String():                 "EntitiesBW",
		(GameInfoTimeScore | GameInfoRace).String(): "TimeScore|Race",
		GameInfoFlags(math.MinInt32 + 1).String():   "TimeScore|EntitiesBW",
		FlagCarrier(5).String():                     "5",
		IDSvChat.String():                           "Sv_Chat",
		IDPingEx.String():                           "PINGEX",
		IDClShowOthers.String():                     "Cl_ShowOthers",
		ID(200).String():                            "game message 100",
		ID(201).String():                            "system message 100",
		ObjectName(TypeEx):                          "Ex",
		ObjectName(TypeEventSoundWorld):             "SoundWorld",
		ObjectName(TypeDDNetCharacter):              "DDNetCharacter",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestValues checks the numbers that the generator assigns by counting.
func TestValues(t *testing.T) {
	for _, v := range []struct{ got, want int32 }{
		{int32(WeaponGame), -3}, {int32(WeaponHammer), 0}, {int32(WeaponNinja), 5}, {int32(TeamBlue), 1},
		{int32(PickupWeapon), 2}, {int32(PickupArmorLaser), 7}, {int32(EmoteBlink), 5}, {int32(EmoticonQuestion), 15},
		{int32(ChatWhisperSent), 2}, {int32(ChoiceNo), -1}, {int32(FlagMissing), -3}, {int32(FlagTaken), -1},
		{int32(HookRetracted), -1}, {int32(HookGrabbed), 5}, {int32(SoundCTFDrop), 35}, {int32(SoundMenu), 40},
		{int32(PlayerFlagPlaying), 1}, {int32(PlayerFlagAim), 16}, {int32(PlayerFlagInputManual), 128},
		{int32(GameStateGameOver), 1}, {int32(GameStatePaused), 4}, {int32(GameStateRaceTime), 8},
		{int32(CapabilityPingEx), 8}, {int32(CapabilitySyncWeaponInput), 32}, {int32(AuthAdmin), 3},
		{int32(GameInfoGametypeVanilla), 1 << 7}, {int32(GameInfoBugVanillaBounce), 1 << 20}, {int32(GameInfoPredictVanilla), 1 << 24},
		{int32(GameInfoEntitiesVanilla), 1 << 29}, {int32(GameInfoDontMaskEntities), 1 << 30}, {int32(GameInfoEntitiesBW), math.MinInt32},
		{int32(GameInfo2HUDHealthArmor), 16}, {int32(GameInfo2HUDAmmo), 32}, {int32(GameInfo2NoWeakHook), 128},
		{int32(DDRaceProjectileNoOwner), 256}, {int32(DDRaceProjectileFreeze), 1 << 13}, {int32(ProjectileNormalizeVel), 16},
		{int32(CharacterFlagInFreeze), 1 << 21}, {int32(ExPlayerFlagSpec), 4}, {int32(LaserFreeze), 3},
		{int32(IDInfo), 3}, {int32(IDRconCmdRem), 53}, {int32(IDSvMotd), 2}, {int32(IDClShowOthersLegacy), 62},
		{int32(IDSystemEx), 1}, {int32(IDGameEx), 0},
	} {
		if v.got != v.want {
			t.Errorf("%d, want %d", v.got, v.want)
		}
	}
	want := []uint8{0, 10, 6, 5, 4, 3, 8, 4, 15, 22, 5, 17, 3, 2, 2, 2, 2, 3, 3, 3, 3}
	if !slices.Equal(Sizes, want) {
		t.Errorf("sizes %v, want %v", Sizes, want)
	}
	// With these flags, DDNet's client treats a server like an original server.
	vanilla := GameInfoGametypeVanilla | GameInfoBugVanillaBounce | GameInfoPredictVanilla | GameInfoEntitiesVanilla | GameInfoDontMaskEntities
	if vanilla != 1628438656 {
		t.Errorf("%d", vanilla)
	}
}
