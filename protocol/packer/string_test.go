package packer

import (
	"bytes"
	"errors"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestAppendString(t *testing.T) {
	for _, v := range []struct {
		in    string
		limit int // -1 for no limit
		want  string
	}{
		{"", -1, "\x00"},
		{"dm1", -1, "dm1\x00"},
		{"a\x00b", -1, "a\x00"},
		{"a\x00b", 8, "a\x00"},
		{"", 0, "\x00"},
		{"abc", 0, "\x00"},
		{"abc", 2, "ab\x00"},
		{"abc", 3, "abc\x00"},
		{"aäb", 2, "a\x00"},
		{"aäb", 3, "aä\x00"},
		{"a€", 2, "a\x00"},
		{"a€", 3, "a\x00"},
		{"a€", 4, "a€\x00"},
		{"😀", 3, "\x00"},
		{"a\x80\x80\x80\x80", 3, "a\x80\x80\x00"},
		{"a\x80b", 1, "a\x00"},
		{"\xc3a", 1, "\xc3\x00"},
	} {
		var got []byte
		if v.limit < 0 {
			got = AppendString(nil, []byte(v.in))
		} else {
			got = AppendStringLimit(nil, []byte(v.in), v.limit)
		}
		if string(got) != v.want {
			t.Errorf("%q limit %d: %q, want %q", v.in, v.limit, got, v.want)
		}
	}
	if got := AppendStringLimit([]byte("x"), []byte("abc"), -5); string(got) != "x\x00" {
		t.Errorf("negative limit: %q", got)
	}
}

func TestAppendStringLimitProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(rapid.SliceOf(rapid.Byte()), rapid.Map(rapid.String(), func(s string) []byte { return []byte(s) })).Draw(t, "s")
		limit := rapid.IntRange(0, 20).Draw(t, "limit")
		whole := AppendString(nil, s)
		whole = whole[:len(whole)-1]
		got := AppendStringLimit(nil, s, limit)
		if got[len(got)-1] != 0 {
			t.Fatalf("%q has no NUL", got)
		}
		got = got[:len(got)-1]
		if len(got) > limit || !bytes.HasPrefix(whole, got) {
			t.Fatalf("%q is not a prefix of %q with at most %d bytes", got, whole, limit)
		}
		if utf8.Valid(whole) && !utf8.Valid(got) {
			t.Fatalf("%q was cut inside a sequence: %q", whole, got)
		}
		if len(got) < min(len(whole), limit)-3 {
			t.Fatalf("%q was cut too early for %d bytes: %q", whole, limit, got)
		}
	})
}

func TestSanitize(t *testing.T) {
	for _, v := range []struct {
		in              string
		lax, cc, strict string
	}{
		{in: "plain", lax: "plain", cc: "plain", strict: "plain"},
		{in: "a\x01b\tc\r\nd\x1f", lax: "a b\tc\r\nd ", cc: "a b c  d ", strict: "a b c  d "},
		{in: " \t x ", lax: " \t x ", cc: "   x ", strict: "x "},
		{in: "\u00a0\u3000\u200b\ufeffx", lax: "\u00a0\u3000\u200b\ufeffx", cc: "\u00a0\u3000\u200b\ufeffx", strict: "x"},
		{in: "\u2010x", lax: "\u2010x", cc: "\u2010x", strict: "\u2010x"},
		{in: "\u2027x", lax: "\u2027x", cc: "\u2027x", strict: "\u2027x"},
		{in: "\ufff9\ufffc\ufffdx", lax: "\ufff9\ufffc\ufffdx", cc: "\ufff9\ufffc\ufffdx", strict: "\ufffdx"},
		{in: "\x80\xc3x", lax: "\x80\xc3x", cc: "\x80\xc3x", strict: "x"},
		{in: "\xc0\x80\xf8x", lax: "\xc0\x80\xf8x", cc: "\xc0\x80\xf8x", strict: "x"},
		{in: "\xed\xa0\x80x", lax: "\xed\xa0\x80x", cc: "\xed\xa0\x80x", strict: "\xed\xa0\x80x"},
		{in: "\x7fx", lax: "\x7fx", cc: "\x7fx", strict: "\x7fx"},
		{in: " \n ", lax: " \n ", cc: "   ", strict: ""},
		{in: "é x", lax: "é x", cc: "é x", strict: "é x"},
	} {
		for mode, want := range map[SanitizeMode]string{SanitizeNone: v.in, SanitizeLax: v.lax, SanitizeCC: v.cc, SanitizeStrict: v.strict} {
			var u Unpacker
			u.Reset([]byte(v.in + "\x00tail"))
			if got := u.String(mode); string(got) != want || u.Err() != nil || u.Len() != 4 {
				t.Errorf("%v of %q: %q, %v, %d left; want %q", mode, v.in, got, u.Err(), u.Len(), want)
			}
		}
	}
}

func TestSanitizeNames(t *testing.T) {
	for mode, want := range map[SanitizeMode]string{SanitizeNone: "none", SanitizeLax: "lax", SanitizeCC: "cc", SanitizeStrict: "strict", 9: "invalid"} {
		if mode.String() != want {
			t.Errorf("mode %d has the name %q, want %q", uint8(mode), mode, want)
		}
	}
}

func TestStringErrors(t *testing.T) {
	var u Unpacker
	u.Reset([]byte("abc"))
	if s := u.String(SanitizeStrict); s != nil || !errors.Is(u.Err(), ErrUnterminated) {
		t.Errorf("no NUL: %q, %v", s, u.Err())
	}
	u.Reset([]byte("a\x00"))
	if s := u.String(SanitizeNone); string(s) != "a" {
		t.Errorf("first string %q", s)
	}
	if s := u.String(SanitizeNone); s != nil || !errors.Is(u.Err(), ErrShort) {
		t.Errorf("nothing left: %q, %v; the released original would let this pass", s, u.Err())
	}
}
