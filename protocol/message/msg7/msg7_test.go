package msg7

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/internal/messagetest"
	"github.com/teeyard/teeyard/protocol/message"
	"github.com/teeyard/teeyard/protocol/packer"
	"pgregory.net/rapid"
)

func TestErrorsNameTheField(t *testing.T) {
	suite.Errors(t, []messagetest.ErrorCase{
		{"", packer.ErrShort, "msg7: message.id: packer: data ends too early"},
		{"\x06\x04\x00\x00x\x00", message.ErrRange, "msg7: Sv_Chat.Mode = 4: out of range"},
		{"\x06\x01\x41\x00x\x00", message.ErrRange, "msg7: Sv_Chat.ClientID = -2: out of range"},
		{"\x06\x01\x00\x00x", packer.ErrUnterminated, "msg7: Sv_Chat.Message: packer: string without NUL"},
		{"\x06\x01\x00\x00", packer.ErrShort, "msg7: Sv_Chat.Message: packer: data ends too early"},
		{"\x36n\x00c\x00\x00a\x00b\x00", packer.ErrShort, "msg7: Cl_StartInfo.Skin.Parts: packer: data ends too early"},
		{"\x2a\x0b", message.ErrRange, "msg7: Sv_GameMsg.Kind = 11: out of range"},
		{"\x2a\x09\x01\x02", packer.ErrShort, "msg7: Sv_GameMsg.Params: packer: data ends too early"},
		{"\x08\x00\x00\x02\x00", message.ErrRange, "msg7: Sv_Team.Silent = 2: out of range"},
		{"\x08\x00\x00\x40\x00", message.ErrRange, "msg7: Sv_Team.Silent = -1: out of range"},
		{"\x18\x40", message.ErrRange, "msg7: Sv_VoteOptionListAdd.count = -1: out of range"},
		{"\x0d\x01\x02\x02\x02\x00\x00", message.ErrRange, "msg7: SNAP.Part = 2: out of range"},
		{"\x0d\x01\x02\x81\x01\x02\x00\x00", message.ErrRange, "msg7: SNAP.Parts = 65: out of range"},
		{"\x11\x01\x02\x00\x85\x0e", message.ErrRange, "msg7: SNAPSINGLE.Data = 901: out of range"},
		{"\x11\x01\x02\x00\x05abcd", packer.ErrShort, "msg7: SNAPSINGLE.Data: packer: data ends too early"},
		{"\x29\x00\x00\x84\x08", message.ErrRange, "msg7: INPUT.Size = 516: out of range"},
		{"\x29\x00\x00", packer.ErrShort, "msg7: INPUT.Size: packer: data ends too early"},
		{"\x09v\x00n\x00h\x00m\x00DM\x00\x00\x00\x00\x11\x00\x81\x02", message.ErrRange, "msg7: SERVERINFO.Record.MaxClients = 129: out of range"},
		{"\x09v\x00n\x00h\x00m\x00DM\x00\x00\x00\x00\x11\x00\x20", message.ErrRange, "msg7: InfoRecord.PlayerSlots = 17: out of range"},
		{"\x13", message.ErrReserved, "msg7: system message 9 (SNAPSMALL): reserved"},
		{"\x3f", message.ErrUnknown, "msg7: system message 31: unknown"},
		{"\x80\x02", message.ErrUnknown, "msg7: game message 64: unknown"},
		{"\x40", message.ErrUnknown, "msg7: system message -1: unknown"},
	})
	var d ObjectDecoder
	_, err := d.Decode(TypePickup, []int32{1, 2})
	if !errors.Is(err, message.ErrSize) || !strings.Contains(err.Error(), "Pickup = 2: wrong size, want 3") {
		t.Errorf("a Pickup of two integers: %v", err)
	}
}

func TestInputQuirks(t *testing.T) {
	suite.Inputs(t, []messagetest.InputCase{
		{"as sent by the original", 40, 11, 10, 0},
		{"no ping correction", 40, 10, 10, 1},
		{"no words", 40, 0, 10, 11},
		{"size of three bytes more", 43, 11, 10, 0},
		{"largest", 515, 129, 128, 0},
		{"negative size", -40, 1, 0, 0},
	}, func(c messagetest.InputCase, ints []int32) Message {
		in := &Input{AckTick: -1, IntendedTick: 100, Size: c.Size, Missing: c.Missing}
		copy(in.Words[:c.Count], ints)
		if c.Missing == 0 {
			in.PingCorrection = ints[c.Count]
		}
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
		if err := m.Player(&got); err != nil || got != want || m.Count() != SizePlayerInput || m.Words[20] != 0 {
			t.Fatalf("%+v, %v, %d words; want %+v", got, err, m.Count(), want)
		}
		m.Words[0] = 2
		if err := m.Player(&got); !errors.Is(err, message.ErrRange) {
			t.Fatalf("direction 2: %v", err)
		}
	})
}

func TestMapHashIsOptional(t *testing.T) {
	with := (&MapChange{Name: []byte("dm1"), SHA256: MapHash{Present: true, Sum: [32]byte{31: 9}}}).Append(nil)
	var d Decoder
	for cut := len(with); cut > len(with)-33; cut-- {
		m, err := d.Decode(bytes.Clone(with[:cut]))
		if err != nil {
			if cut >= len(with)-32 {
				t.Errorf("%d bytes of the hash: %v", cut-len(with)+32, err)
			}
			continue
		}
		if h := m.(*MapChange).SHA256; h.Present != (cut == len(with)) || h.Present != (h.Sum[31] == 9) {
			t.Errorf("%d bytes of the hash: %+v", cut-len(with)+32, h)
		}
	}
}

func TestVoteOptionsGrowWithTheInput(t *testing.T) {
	b := packer.AppendInts(nil, []int32{int32(IDSvVoteOptionListAdd), 1<<31 - 1})
	b = append(b, "one\x00two\x00"...)
	var d Decoder
	if _, err := d.Decode(b); !errors.Is(err, packer.ErrShort) {
		t.Errorf("two of 2147483647 options: %v", err)
	}
	if n := cap(d.svVoteOptionListAdd.Descriptions); n > 8 {
		t.Errorf("Unpack allocated room for %d options", n)
	}
}

func TestRaceFinishDefault(t *testing.T) {
	b := (&SvRaceFinish{RecordServer: true}).Append(nil)
	var d Decoder
	for cut, want := range []bool{true, false} {
		m, err := d.Decode(bytes.Clone(b[:len(b)-cut]))
		if err != nil || m.(*SvRaceFinish).RecordServer != want {
			t.Errorf("%d bytes missing: %+v, %v", cut, m, err)
		}
	}
}

// TestHeadLimits reads names of the length that the later development version allows.
func TestHeadLimits(t *testing.T) {
	name := strings.Repeat("é", 16)
	b := packer.AppendInt(nil, int32(IDClStartInfo))
	b = append(b, name+"\x00"+strings.Repeat("ö", 12)+"\x00\x00"...)
	for range 6 {
		b = append(b, strings.Repeat("ü", 24)+"\x00"...)
	}
	b = append(b, make([]byte, 12)...)
	var d Decoder
	m, err := d.Decode(b)
	if err != nil {
		t.Fatal(err)
	}
	if got := m.(*ClStartInfo); string(got.Name) != name || len(got.Clan) != 24 || len(got.Skin.Parts[5]) != 48 {
		t.Errorf("%+v", got)
	}
}

func TestDemoClientInfo(t *testing.T) {
	m := SvClientInfo{Local: true, Team: TeamBlue, Name: []byte("a name of 15 by"), Clan: []byte("clan"), Country: 276}
	m.Skin.Parts[SkinPartEyes] = []byte("standard")
	m.Skin.UseCustomColors[SkinPartBody] = true
	m.Skin.Colors[SkinPartBody] = 0x123456
	var o DeClientInfo
	o.SetClient(&m)
	if got := message.AppendIntsToStr(nil, o.Name[:]); string(got) != string(m.Name) {
		t.Errorf("name %q", got)
	}
	if got := message.AppendIntsToStr(nil, o.SkinParts[SkinPartEyes][:]); string(got) != "standard" {
		t.Errorf("eyes %q", got)
	}
	if !o.Local || o.Team != TeamBlue || o.Country != 276 || !o.UseCustomColors[0] || o.SkinColors[0] != 0x123456 {
		t.Errorf("%+v", o)
	}
}

func TestNames(t *testing.T) {
	for got, want := range map[string]string{
		WeaponNinja.String():                       "Ninja",
		WeaponGame.String():                        "Game",
		Weapon(6).String():                         "6",
		TeamSpectators.String():                    "Spectators",
		SoundMenu.String():                         "Menu",
		(GameFlagTeams | GameFlagFlags).String():   "Teams|Flags",
		GameFlags(0).String():                      "0",
		GameFlags(17).String():                     "Teams|16",
		FlagCarrier(5).String():                    "5",
		IDSvChat.String():                          "Sv_Chat",
		IDSnapSingle.String():                      "SNAPSINGLE",
		ID(200).String():                           "game message 100",
		ID(201).String():                           "system message 100",
		ObjectName(TypeDeClientInfo):               "De_ClientInfo",
		ObjectName(TypeEventSoundWorld):            "SoundWorld",
		strings.ToLower(PlayerFlagBot.String()):    "bot",
		strings.ToLower(CoreEventAirJump.String()): "airjump",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestValues checks the numbers that the generator assigns by counting.
func TestValues(t *testing.T) {
	for _, v := range []struct{ got, want int32 }{
		{int32(WeaponGame), -3}, {int32(WeaponWorld), -1}, {int32(WeaponHammer), 0}, {int32(WeaponNinja), 5},
		{int32(PickupGrenade), 2}, {int32(PickupHammer), 7}, {int32(EmoteBlink), 5}, {int32(EmoticonQuestion), 15},
		{int32(VoteEndFail), 6}, {int32(ChoiceNo), -1}, {int32(ChatWhisper), 3}, {int32(SpecFlagBlue), 3},
		{int32(GameMsgTeamAll), 6}, {int32(GameMsgCTFCapture), 9}, {int32(GameMsgGamePaused), 10},
		{int32(FlagMissing), -3}, {int32(FlagTaken), -1}, {int32(HookRetracted), -1}, {int32(HookFlying), 4}, {int32(HookGrabbed), 5},
		{int32(SoundNinjaFire), 5}, {int32(SoundDie), 16}, {int32(SoundPickupShotgun), 27}, {int32(SoundCTFGrabOwn), 37}, {int32(SoundMenu), 40},
		{int32(PlayerFlagBot), 64}, {int32(GameFlagRace), 8}, {int32(GameStateStartCountdown), 32}, {int32(CoreEventHookHitNoHook), 16},
		{int32(RaceFlagKeepWantedWeapon), 4}, {int32(SkinPartEyes), 5},
		{int32(IDInfo), 3}, {int32(IDMaplistEntryRem), 61}, {int32(IDSvMotd), 2}, {int32(IDClCommand), 78},
	} {
		if v.got != v.want {
			t.Errorf("%d, want %d", v.got, v.want)
		}
	}
	want := []uint8{0, 10, 6, 5, 3, 3, 3, 2, 4, 15, 22, 3, 4, 58, 5, 32, 2, 2, 2, 2, 3, 3, 7, 0, 0, 0, 0, 0}
	if !slices.Equal(Sizes, want) {
		t.Errorf("sizes %v, want %v", Sizes, want)
	}
}
