package message

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"
)

func TestStrToInts(t *testing.T) {
	var ints [4]int32
	StrToInts(ints[:], []byte("nameless tee"))
	// Each byte plus 128, the first byte highest, the last byte of all cleared.
	want := [4]uint32{0xeee1ede5, 0xece5f3f3, 0xa0f4e5e5, 0x80808000}
	for i, v := range want {
		if uint32(ints[i]) != v {
			t.Errorf("integer %d is %#x, want %#x", i, uint32(ints[i]), v)
		}
	}
	if got := AppendIntsToStr(nil, ints[:]); string(got) != "nameless tee" {
		t.Errorf("read back %q", got)
	}
	StrToInts(nil, []byte("x"))
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.SliceOf(rapid.Byte()).Draw(t, "s")
		ints := make([]int32, rapid.IntRange(1, 6).Draw(t, "n"))
		StrToInts(ints, s)
		want, _, _ := bytes.Cut(s, []byte{0})
		want = want[:min(len(want), 4*len(ints)-1)]
		if got := AppendIntsToStr([]byte("x"), ints); string(got) != "x"+string(want) {
			t.Fatalf("%q in %d integers reads back as %q, want %q", s, len(ints), got[1:], want)
		}
	})
}

// TestUUIDFromName compares with the UUIDs that DDNet's programs use.
func TestUUIDFromName(t *testing.T) {
	for name, want := range map[string]string{
		"ping@ddnet.tw":             "bcb43bf5-427c-36d8-b5b8-7975c8c06aa1",
		"character@netobj.ddnet.tw": "76ce455b-f9eb-3a48-add7-e04b941d045c",
	} {
		if got := UUIDFromName(name).String(); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
		if u, ok := ParseUUID(want); u != UUIDFromName(name) || !ok {
			t.Errorf("%s is %v, %v", want, u, ok)
		}
	}
	for _, bad := range []string{"", "x", "e05ddaaac4e64cfbb6425d48e80c0029", "e05ddaaa-c4e6-4cfb-b642-5d48e80c002",
		"e05ddaaa-c4e6-4cfb-b642-5d48e80c00290", "e05ddaaac-4e6-4cfb-b642-5d48e80c0029"} {
		if u, ok := ParseUUID(bad); ok {
			t.Errorf("%q is %v", bad, u)
		}
	}
}
