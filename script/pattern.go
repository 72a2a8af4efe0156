package script

import (
	"errors"
	"fmt"

	rt "github.com/arnodel/golua/runtime"
)

// Lua patterns. The matcher charges each step, so that a script stops at the same step in every
// run.

// byteSet is a set of bytes.
type byteSet [4]uint64

func (s *byteSet) add(b byte)      { s[b>>6] |= 1 << (b & 63) }
func (s *byteSet) has(b byte) bool { return s[b>>6]&(1<<(b&63)) != 0 }

func (s *byteSet) merge(o byteSet) {
	for i := range s {
		s[i] |= o[i]
	}
}

func (s *byteSet) complement() {
	for i := range s {
		s[i] = ^s[i]
	}
}

func setOf(in func(b byte) bool) (s byteSet) {
	for i := range 256 {
		if in(byte(i)) {
			s.add(byte(i))
		}
	}
	return s
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }
func isLower(b byte) bool { return b >= 'a' && b <= 'z' }
func isUpper(b byte) bool { return b >= 'A' && b <= 'Z' }

// classes are the sets for letters after %. A capital letter is the complement.
var classes = map[byte]byteSet{
	'a': setOf(func(b byte) bool { return isLower(b) || isUpper(b) }),
	'c': setOf(func(b byte) bool { return b < 32 || b == 127 }),
	'd': setOf(isDigit),
	'g': setOf(func(b byte) bool { return b > 32 && b < 127 }),
	'l': setOf(isLower),
	'p': setOf(func(b byte) bool { return b > 32 && b < 127 && !isDigit(b) && !isLower(b) && !isUpper(b) }),
	's': setOf(func(b byte) bool { return b == ' ' || b >= 9 && b <= 13 }),
	'u': setOf(isUpper),
	'w': setOf(func(b byte) bool { return isDigit(b) || isLower(b) || isUpper(b) }),
	'z': setOf(func(b byte) bool { return b == 0 }),
	'x': setOf(func(b byte) bool { return isDigit(b) || b >= 'a' && b <= 'f' || b >= 'A' && b <= 'F' }),
}

// class returns the set for a byte after %.
func class(b byte) byteSet {
	if s, ok := classes[b|0x20]; ok && (isLower(b) || isUpper(b)) {
		if isUpper(b) {
			s.complement()
		}
		return s
	}
	var s byteSet
	s.add(b)
	return s
}

// itemKind is the kind of an item of a pattern.
type itemKind uint8

const (
	itemOne      itemKind = iota // a byte of the set
	itemMany                     // *
	itemFew                      // -
	itemMaybe                    // ?
	itemOpen                     // (
	itemClose                    // )
	itemPlace                    // ()
	itemBack                     // %1
	itemBalance                  // %b()
	itemFrontier                 // %f[]
	itemEnd                      // $
)

// item is a part of a pattern.
type item struct {
	set  byteSet
	kind itemKind
	a, b byte // number of the capture, or the two bytes of %b
}

// pattern is a parsed pattern.
type pattern struct {
	items    []item
	captures int
	anchored bool // ^
}

const (
	maxCaptures = 32
	// maxChoices limits the open choices of the matcher, which recurses for each.
	maxChoices = 200
	// maxPatterns is the number of parsed patterns that are kept, if they are shorter than
	// maxKeptPattern.
	maxPatterns    = 64
	maxKeptPattern = 256
)

var errPatternEnd = errors.New("the pattern ends in the middle of something: a % before its end, a [ without a ], a ( without a ), or %b without two letters")

// pattern parses a pattern. Without anchors, as in gmatch, ^ stands for itself.
func (v *vm) pattern(text string, anchors bool) (*pattern, error) {
	cost := costOf("pattern")
	v.pay(cost.call)
	key := text
	if !anchors {
		key = "\x00" + text
	}
	p, known := v.patterns[key]
	if !known {
		p = &pattern{}
		if err := p.read(v, text, anchors); err != nil {
			return nil, err
		}
		if len(text) <= maxKeptPattern {
			if len(v.patterns) >= maxPatterns || v.patterns == nil {
				v.patterns = map[string]*pattern{}
			}
			v.patterns[key] = p
		}
	}
	// A kept pattern costs as much as a new one.
	v.pay(cost.each*uint64(len(p.items)) + uint64(len(text))/8)
	return p, nil
}

func (p *pattern) read(v *vm, text string, anchors bool) error {
	v.needs(64 * len(text)) // more than its items need
	if anchors && text != "" && text[0] == '^' {
		p.anchored, text = true, text[1:]
	}
	var open []byte
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '(' && i+1 < len(text) && text[i+1] == ')', c == '(':
			if p.captures++; p.captures > maxCaptures {
				return errors.New("too many captures in a pattern")
			}
			if i+1 < len(text) && text[i+1] == ')' {
				p.items = append(p.items, item{kind: itemPlace, a: byte(p.captures)})
				i += 2
				continue
			}
			open = append(open, byte(p.captures))
			p.items = append(p.items, item{kind: itemOpen, a: byte(p.captures)})
			i++
		case c == ')':
			if len(open) == 0 {
				return errors.New("the pattern has a ) without a (")
			}
			p.items = append(p.items, item{kind: itemClose, a: open[len(open)-1]})
			open = open[:len(open)-1]
			i++
		case c == '$' && i == len(text)-1:
			p.items = append(p.items, item{kind: itemEnd})
			i++
		case c == '%' && i+1 < len(text) && text[i+1] == 'b':
			if i+3 >= len(text) {
				return errPatternEnd
			}
			p.items = append(p.items, item{kind: itemBalance, a: text[i+2], b: text[i+3]})
			i += 4
		case c == '%' && i+1 < len(text) && text[i+1] == 'f':
			if i+2 >= len(text) || text[i+2] != '[' {
				return errors.New("after %f in a pattern comes a [")
			}
			s, n, err := readSet(text[i+2:])
			if err != nil {
				return err
			}
			p.items = append(p.items, item{kind: itemFrontier, set: s})
			i += 2 + n
		case c == '%' && i+1 < len(text) && isDigit(text[i+1]):
			n := text[i+1] - '0'
			if n == 0 || int(n) > p.captures || containsByte(open, n) {
				return fmt.Errorf("the pattern has no capture %%%d there", n)
			}
			p.items = append(p.items, item{kind: itemBack, a: n})
			i += 2
		default:
			s, n, err := readSet(text[i:])
			if err != nil {
				return err
			}
			i += n
			it := item{set: s}
			if i < len(text) {
				i++
				switch text[i-1] {
				case '*':
					it.kind = itemMany
				case '+': // one, and many
					p.items = append(p.items, it)
					it.kind = itemMany
				case '-':
					it.kind = itemFew
				case '?':
					it.kind = itemMaybe
				default:
					i--
				}
			}
			p.items = append(p.items, it)
		}
	}
	if len(open) > 0 {
		return errPatternEnd
	}
	return nil
}

func containsByte(list []byte, b byte) bool {
	for _, x := range list {
		if x == b {
			return true
		}
	}
	return false
}

// readSet reads a byte, a class or a set at the start of a text. It returns the set and its length
// in the text.
func readSet(text string) (s byteSet, n int, err error) {
	switch text[0] {
	case '.':
		return byteSet{^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0)}, 1, nil
	case '%':
		if len(text) < 2 {
			return s, 0, errPatternEnd
		}
		return class(text[1]), 2, nil
	case '[':
	default:
		s.add(text[0])
		return s, 1, nil
	}
	i := 1
	negative := i < len(text) && text[i] == '^'
	if negative {
		i++
	}
	for first := true; ; first = false {
		switch {
		case i >= len(text):
			return s, 0, errPatternEnd
		case text[i] == ']' && !first:
			if negative {
				s.complement()
			}
			return s, i + 1, nil
		case text[i] == '%':
			if i+1 >= len(text) {
				return s, 0, errPatternEnd
			}
			s.merge(class(text[i+1]))
			i += 2
		case i+2 < len(text) && text[i+1] == '-' && text[i+2] != ']':
			for b := int(text[i]); b <= int(text[i+2]); b++ {
				s.add(byte(b))
			}
			i += 3
		default:
			s.add(text[i])
			i++
		}
	}
}

// span is a capture: its start, and its end or one of the values below.
type span struct{ start, end int }

const (
	isOpen  = -1
	isPlace = -2
)

// matcher searches for a pattern in a text.
type matcher struct {
	v        *vm
	p        *pattern
	s        string
	captures [maxCaptures + 1]span // 0 is the whole match
	steps    int                   // not charged yet
	choices  int
	err      error
}

// stepsPaid is the number of steps of the matcher that are charged at once, and stepPrice their
// cost.
const stepsPaid = 48

var (
	matchCost = costOf("match")
	stepPrice = matchCost.each * stepsPaid / 4
)

func (m *matcher) step() {
	if m.steps++; m.steps >= stepsPaid {
		m.steps = 0
		m.v.pay(stepPrice)
	}
}

// find reports whether a match begins at init or later.
func (m *matcher) find(init int) (bool, error) {
	for at := init; at <= len(m.s); at++ {
		if ok, err := m.matchAt(at); ok || err != nil {
			return ok, err
		}
		if m.p.anchored {
			break
		}
	}
	return false, nil
}

// matchAt reports whether a match begins at a position.
func (m *matcher) matchAt(at int) (bool, error) {
	m.step()
	end := m.match(at, 0)
	if m.err != nil {
		return false, m.err
	}
	m.captures[0] = span{at, end}
	return end >= 0, nil
}

// match returns the end of a match of the items from number i on, or -1.
func (m *matcher) match(at, i int) int {
	for ; i < len(m.p.items); i++ {
		m.step()
		it := &m.p.items[i]
		switch it.kind {
		case itemOne:
			if at >= len(m.s) || !it.set.has(m.s[at]) {
				return -1
			}
			at++
		case itemMany:
			end := at
			for end < len(m.s) && it.set.has(m.s[end]) {
				m.step()
				end++
			}
			if i == len(m.p.items)-1 {
				return end
			}
			for ; end > at; end-- {
				if e := m.choose(end, i+1); e >= 0 || m.err != nil {
					return e
				}
			}
		case itemFew:
			for {
				if e := m.choose(at, i+1); e >= 0 || m.err != nil {
					return e
				}
				if at >= len(m.s) || !it.set.has(m.s[at]) {
					return -1
				}
				at++
			}
		case itemMaybe:
			if at < len(m.s) && it.set.has(m.s[at]) {
				if e := m.choose(at+1, i+1); e >= 0 || m.err != nil {
					return e
				}
			}
		case itemOpen, itemPlace:
			before := m.captures[it.a]
			m.captures[it.a] = span{at, isOpen}
			if it.kind == itemPlace {
				m.captures[it.a].end = isPlace
			}
			e := m.choose(at, i+1)
			if e < 0 {
				m.captures[it.a] = before
			}
			return e
		case itemClose:
			before := m.captures[it.a]
			m.captures[it.a].end = at
			e := m.choose(at, i+1)
			if e < 0 {
				m.captures[it.a] = before
			}
			return e
		case itemBack:
			c := m.captures[it.a]
			n := max(c.end-c.start, 0)
			m.v.payBytes(costOf("string.match"), n)
			if c.end < 0 || n > len(m.s)-at || m.s[c.start:c.end] != m.s[at:at+n] {
				return -1
			}
			at += n
		case itemBalance:
			if at = m.balance(at, it.a, it.b); at < 0 {
				return -1
			}
		case itemFrontier:
			var before, after byte
			if at > 0 {
				before = m.s[at-1]
			}
			if at < len(m.s) {
				after = m.s[at]
			}
			if it.set.has(before) || !it.set.has(after) {
				return -1
			}
		case itemEnd:
			if at != len(m.s) {
				return -1
			}
		}
	}
	return at
}

// choose is match for an item with several alternatives.
func (m *matcher) choose(at, i int) int {
	if m.choices++; m.choices > maxChoices {
		m.err = errors.New("the pattern is too complex")
		return -1
	}
	e := m.match(at, i)
	m.choices--
	return e
}

// balance returns the end of a text that begins with one byte and ends with the other that balances
// it.
func (m *matcher) balance(at int, open, closing byte) int {
	if at >= len(m.s) || m.s[at] != open {
		return -1
	}
	depth := 1
	for at++; at < len(m.s); at++ {
		m.step()
		switch m.s[at] {
		case closing:
			if depth--; depth == 0 {
				return at + 1
			}
		case open:
			depth++
		}
	}
	return -1
}

// capture returns a capture: text or a position. For a pattern without captures, number 1 is the
// whole match.
func (m *matcher) capture(n int) (rt.Value, error) {
	if m.p.captures == 0 && n == 1 {
		n = 0
	}
	if n > m.p.captures {
		return rt.NilValue, fmt.Errorf("the pattern has no capture %%%d", n)
	}
	c := m.captures[n]
	if c.end == isPlace {
		return rt.IntValue(int64(c.start + 1)), nil
	}
	m.v.needs(c.end - c.start)
	return rt.StringValue(m.s[c.start:c.end]), nil
}

// pushCaptures pushes all captures. For a pattern without captures it pushes the whole match if
// whole is set.
func (m *matcher) pushCaptures(c *rt.GoCont, whole bool) error {
	last := m.p.captures
	if last == 0 && whole {
		last = 1
	}
	for n := 1; n <= last; n++ {
		x, err := m.capture(n)
		if err != nil {
			return err
		}
		m.v.push(c, x)
	}
	return nil
}
