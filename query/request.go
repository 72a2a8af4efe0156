package query

import (
	"bytes"
	"encoding/binary"

	"github.com/teeyard/teeyard/protocol/packer"
)

// Form is a way to ask for an Info and to answer.
type Form uint8

const (
	// FormPlain6 is gie3 of 0.6, answered by one inf3.
	FormPlain6 Form = iota
	// FormExtended6 is gie3 of DDNet, answered by iext and any number of iex+.
	FormExtended6
	// FormLegacy64 is fstd of the 64 player patch, answered by dtsf.
	FormLegacy64
	// Form7 is gie3 of 0.7, answered by one inf3.
	Form7

	// NumForms is the number of forms.
	NumForms int = iota
)

var formText = [...]string{"0.6", "0.6 extended", "0.6 64 players", "0.7"}

// String returns a short name.
func (f Form) String() string {
	if int(f) < len(formText) {
		return formText[f]
	}
	return "unknown form"
}

// MaxToken returns the largest token that a request of the form can carry. The
// least is 0, but for Form7, where it may be any int32.
func (f Form) MaxToken() int32 {
	switch f {
	case FormExtended6:
		return 1<<24 - 1
	case Form7:
		return 1<<31 - 1
	}
	return 0xff
}

// Header6 is the header of a plain connless datagram of 0.6.
const Header6 = "\xff\xff\xff\xff\xff\xff"

// The payloads begin with these.
const (
	tagRequest       = "\xff\xff\xff\xffgie3"
	tagInfo          = "\xff\xff\xff\xffinf3"
	tagExtended      = "\xff\xff\xff\xffiext"
	tagMore          = "\xff\xff\xff\xffiex+"
	tagLegacyRequest = "\xff\xff\xff\xfffstd"
	tagLegacy        = "\xff\xff\xff\xffdtsf"
)

// Request asks for an Info.
type Request struct {
	Form Form
	// Token comes back in the answers; 0 to Form.MaxToken.
	Token int32
}

// AppendRequest appends a request: a whole datagram of 0.6, or the payload of a
// connless packet of 0.7 (packet.AppendConnless).
func AppendRequest(dst []byte, r Request) []byte {
	switch r.Form {
	case FormExtended6:
		dst = append(dst, 'x', 'e', byte(r.Token>>16), byte(r.Token>>8), 0, 0)
	case FormPlain6, FormLegacy64:
		dst = append(dst, Header6...)
	}
	switch r.Form {
	case FormLegacy64:
		dst = append(dst, tagLegacyRequest...)
	default:
		dst = append(dst, tagRequest...)
	}
	if r.Form == Form7 {
		return packer.AppendInt(dst, r.Token)
	}
	return append(dst, byte(r.Token))
}

// ParseRequest6 reads a connless datagram of 0.6 as a request. It reports false
// for all else, which includes a request without token. It never allocates.
func ParseRequest6(datagram []byte) (Request, bool) {
	if len(datagram) <= len(Header6)+len(tagRequest) {
		return Request{}, false
	}
	head, payload := datagram[:len(Header6)], datagram[len(Header6):]
	r := Request{Form: FormPlain6, Token: int32(payload[len(tagRequest)])}
	switch {
	case bytes.HasPrefix(payload, []byte(tagLegacyRequest)):
		r.Form = FormLegacy64
	case !bytes.HasPrefix(payload, []byte(tagRequest)):
		return Request{}, false
	case head[0] == 'x' && head[1] == 'e':
		r.Form = FormExtended6
		r.Token |= int32(binary.BigEndian.Uint16(head[2:])) << 8
	}
	return r, true
}

// ParseRequest7 reads the payload of a connless packet of 0.7 as a request, as
// ParseRequest6 does.
func ParseRequest7(payload []byte) (Request, bool) {
	rest, ok := bytes.CutPrefix(payload, []byte(tagRequest))
	if !ok {
		return Request{}, false
	}
	var u packer.Unpacker
	u.Reset(rest)
	r := Request{Form: Form7, Token: u.Int()}
	return r, u.Err() == nil
}
