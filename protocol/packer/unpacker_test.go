package packer

import (
	"bytes"
	"errors"
	"testing"
)

func TestRawAndRest(t *testing.T) {
	var u Unpacker
	u.Reset([]byte{1, 2, 3, 4})
	if got := u.Raw(2); !bytes.Equal(got, []byte{1, 2}) || cap(got) != 2 {
		t.Errorf("Raw(2) = %v, capacity %d", got, cap(got))
	}
	if got := u.Rest(); !bytes.Equal(got, []byte{3, 4}) || u.Len() != 0 {
		t.Errorf("Rest = %v, %d left", got, u.Len())
	}
	if got := u.Raw(0); len(got) != 0 || u.Err() != nil {
		t.Errorf("Raw(0) at the end = %v, %v", got, u.Err())
	}
	if got := u.Raw(1); got != nil || !errors.Is(u.Err(), ErrShort) {
		t.Errorf("Raw(1) at the end = %v, %v", got, u.Err())
	}
	u.Reset([]byte{1, 2})
	if got := u.Raw(-1); got != nil || !errors.Is(u.Err(), ErrSize) {
		t.Errorf("Raw(-1) = %v, %v", got, u.Err())
	}
}

func TestFirstErrorStays(t *testing.T) {
	var u Unpacker
	u.Reset([]byte{1, 'x'})
	u.Int()
	u.String(SanitizeNone)
	if !errors.Is(u.Err(), ErrUnterminated) {
		t.Fatalf("error %v", u.Err())
	}
	if u.Int() != 0 || u.String(SanitizeLax) != nil || u.Raw(0) != nil || u.Raw(1) != nil || u.Rest() != nil || u.Len() != 0 {
		t.Error("reading continued after an error")
	}
	var dst [2]int32
	if u.Ints(dst[:]) || u.Ints(nil) {
		t.Error("Ints succeeded after an error")
	}
	if !errors.Is(u.Err(), ErrUnterminated) {
		t.Errorf("a later error replaced the first: %v", u.Err())
	}
	u.Reset([]byte{5})
	if u.Int() != 5 || u.Err() != nil {
		t.Error("Reset does not clear the error")
	}
}

func TestZeroUnpacker(t *testing.T) {
	var u Unpacker
	if u.Len() != 0 || u.Err() != nil || len(u.Raw(0)) != 0 {
		t.Error("the zero Unpacker is not an empty one")
	}
	if u.Int() != 0 || !errors.Is(u.Err(), ErrShort) {
		t.Errorf("Int of nothing: %v", u.Err())
	}
}

func TestUnpackerDoesNotAllocate(t *testing.T) {
	msg := AppendString(AppendInts(nil, []int32{1, -70000, 5}), []byte("hello world"))
	buf := make([]byte, 0, 64)
	var u Unpacker
	n := testing.AllocsPerRun(100, func() {
		u.Reset(msg)
		u.Int()
		u.Int()
		u.Int()
		u.String(SanitizeStrict)
		u.Raw(10)
		u.String(SanitizeCC)
		buf = AppendStringLimit(AppendInt(buf[:0], 1000), msg, 5)
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// FuzzUnpacker uses the first bytes of its input to choose which values to read from the rest.
func FuzzUnpacker(f *testing.F) {
	f.Add([]byte("isIr"), []byte{0x85, 0x1c, 'a', 0, 1, 2, 3})
	f.Add([]byte("SSSS"), []byte(" \x00\xed\xa0\x80\x00\xc0\x80\x00x"))
	f.Add([]byte("iiii"), []byte{0x80, 0x80, 0x80, 0x80, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, ops, data []byte) {
		var u Unpacker
		u.Reset(data)
		var ints [7]int32
		for _, op := range ops {
			before, failed := u.Len(), u.Err() != nil
			var got []byte
			switch op {
			case 'i':
				v := u.Int()
				if u.Err() != nil && v != 0 {
					t.Fatalf("Int returned %d with %v", v, u.Err())
				}
			case 'I':
				u.Ints(ints[:])
			case 's', 'S':
				got = u.String(SanitizeMode(len(ops) % 4))
				if bytes.IndexByte(got, 0) >= 0 {
					t.Fatalf("NUL in %q", got)
				}
			case 'r':
				got = u.Raw(int(int8(op)) & len(ops))
			default:
				got = u.Raw(int(int8(op)))
			}
			if len(got) > before {
				t.Fatalf("%q is longer than the %d bytes that were left", got, before)
			}
			if u.Len() > before || failed && (u.Err() == nil || u.Len() != 0 || got != nil) {
				t.Fatalf("state went backwards: %d then %d left, %v", before, u.Len(), u.Err())
			}
		}
	})
}
