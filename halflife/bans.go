package halflife

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/teeyard/teeyard/internal/safetext"
)

// ErrBan is returned for bans that cannot be.
var ErrBan = errors.New("halflife: cannot ban")

// ErrBanFile is returned for files of bans that are not what they should be.
var ErrBanFile = errors.New("halflife: bad file of bans")

// Ban keeps a network away.
type Ban struct {
	// Net is the network; a single address is a /32 or /128.
	Net netip.Prefix `json:"net"`
	// Span is how long it was banned for when it was, 0 for ever.
	Span time.Duration `json:"span,omitempty"`
	// Until is when it ends. A Bans sets it from Span if it is zero.
	Until time.Time `json:"until,omitzero"`
	// Reason is for people, at most 127 bytes.
	Reason string `json:"reason,omitempty"`
	// RconOnly keeps it away from rcon and not from the game.
	RconOnly bool `json:"rconOnly,omitempty"`
}

// Bans is a store of bans that a game and the remote console share.
type Bans interface {
	// Add bans a network, or renews its ban. A ban from the game is not weakened
	// to one from rcon. The error wraps ErrBan.
	Add(Ban) error
	// Remove lifts the ban of exactly this network.
	Remove(netip.Prefix) bool
	// Find returns the ban that hits an address now: a ban from the game before
	// one from rcon.
	Find(netip.Addr) (Ban, bool)
	// All returns the bans in force, in the order they were made.
	All() []Ban
}

const (
	maxBans      = 32768
	maxBanReason = 127
	maxBanFile   = 16 << 20
	saveDelay    = time.Second
	shortestNet4 = 8
	shortestNet6 = 16
)

// BanList is a Bans in memory and, from OpenBans, in a file. Several goroutines
// may use it.
type BanList struct {
	// Now is the clock, time.Now if it is nil. Set it before use.
	Now func() time.Time

	mu    sync.Mutex
	index map[netip.Prefix]*entry
	made  int // entries so far
	// lens counts the networks of each length, so that a look-up tries only those
	// that exist: IPv4 first, IPv6 behind.
	lens [33 + 129]int

	path   string
	saving *time.Timer
	err    error
	// writing is held while the file is written, for which nobody who looks for a
	// ban has to wait.
	writing sync.Mutex
}

// entry is a ban and its place in the order.
type entry struct {
	Ban
	number int
}

// NewBanList makes an empty list that is not kept.
func NewBanList() *BanList { return &BanList{index: make(map[netip.Prefix]*entry)} }

// OpenBans makes a list that is kept in a file, with what is there. Changes are
// written about a second later, all at once, to a new file that then takes the
// place of the old one; Close writes what is left. A file that is no list of bans
// is an error, and left alone.
func OpenBans(path string) (*BanList, error) {
	l := NewBanList()
	l.path = path
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return l, nil
	} else if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBanFile, err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxBanFile+1))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBanFile, err)
	}
	if err := l.load(b); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return l, nil
}

// banFile is the content of the file.
type banFile struct {
	Bans []Ban `json:"bans"`
}

func (l *BanList) load(b []byte) error {
	if len(b) > maxBanFile {
		return fmt.Errorf("%w: more than %d bytes", ErrBanFile, maxBanFile)
	}
	var f banFile
	if err := json.Unmarshal(b, &f); err != nil {
		return fmt.Errorf("%w: %w", ErrBanFile, err)
	}
	for _, e := range f.Bans {
		if err := l.add(e); err != nil {
			return fmt.Errorf("%w: %w", ErrBanFile, err)
		}
	}
	return nil
}

func (l *BanList) now() time.Time {
	if l.Now != nil {
		return l.Now()
	}
	return time.Now()
}

// localhost4 is the IPv4 address of programs of this machine. Others of 127.0.0.0/8
// are used on purpose, by tests and bots, which can do without.
var localhost4 = netip.AddrFrom4([4]byte{127, 0, 0, 1})

// Add implements Bans. Localhost and networks larger than an IPv4 /8 or an IPv6
// /16 cannot be banned. When 32768 networks are banned, the ban that ends first
// makes room.
func (l *BanList) Add(b Ban) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.add(b); err != nil {
		return err
	}
	l.changed()
	return nil
}

func (l *BanList) add(b Ban) error {
	net, err := checkNet(b.Net)
	if err != nil {
		return err
	}
	now := l.now()
	b.Net, b.Span = net, max(b.Span, 0)
	b.Reason = string(safetext.AppendLine(nil, b.Reason, maxBanReason))
	if b.Span > 0 && b.Until.IsZero() {
		b.Until = now.Add(b.Span)
	}
	b.Until = b.Until.Round(0).UTC() // without the monotonic clock
	if old := l.index[net]; old != nil {
		if !old.ended(now) && b.RconOnly && !old.RconOnly {
			return nil
		}
		old.Ban = b
		return nil
	}
	if len(l.index) >= maxBans {
		if l.expire(now); len(l.index) >= maxBans && !l.evict() {
			return fmt.Errorf("%w %v: %w: %d networks are banned for ever", ErrBan, net, errBanFull, maxBans)
		}
	}
	l.made++
	l.index[net] = &entry{b, l.made}
	l.lens[lenIndex(net)]++
	return nil
}

// checkNet brings a network into the one form it has in the list.
func checkNet(net netip.Prefix) (netip.Prefix, error) {
	if !net.IsValid() {
		return net, fmt.Errorf("%w: no network", ErrBan)
	}
	if a := net.Addr(); a.Is4In6() && net.Bits() >= 96 {
		net = netip.PrefixFrom(a.Unmap(), net.Bits()-96)
	} else if a.Zone() != "" {
		net = netip.PrefixFrom(a.WithZone(""), net.Bits())
	}
	net = net.Masked()
	shortest := shortestNet4
	if net.Addr().Is6() {
		shortest = shortestNet6
	}
	switch {
	case net.Bits() < shortest:
		return net, fmt.Errorf("%w %v: that is too much of the world", ErrBan, net)
	case net.Contains(localhost4), net.Contains(netip.IPv6Loopback()):
		return net, fmt.Errorf("%w %v: this machine cannot be banned", ErrBan, net)
	}
	return net, nil
}

func lenIndex(net netip.Prefix) int {
	if net.Addr().Is4() {
		return net.Bits()
	}
	return 33 + net.Bits()
}

func (b *Ban) ended(now time.Time) bool { return !b.Until.IsZero() && !now.Before(b.Until) }

// Remove implements Bans.
func (l *BanList) Remove(net netip.Prefix) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	net, err := checkNet(net)
	if err != nil {
		return false
	}
	b := l.index[net]
	if b == nil {
		return false
	}
	l.remove(net)
	l.changed()
	return !b.ended(l.now())
}

func (l *BanList) remove(net netip.Prefix) bool {
	if l.index[net] == nil {
		return false
	}
	delete(l.index, net)
	l.lens[lenIndex(net)]--
	return true
}

// expire removes what has ended.
func (l *BanList) expire(now time.Time) {
	for net, b := range l.index {
		if b.ended(now) {
			l.remove(net)
		}
	}
}

// evict lifts the ban that ends first.
func (l *BanList) evict() bool {
	var first *entry
	for _, b := range l.index {
		if !b.Until.IsZero() && (first == nil || b.Until.Before(first.Until)) {
			first = b
		}
	}
	return first != nil && l.remove(first.Net)
}

// Find implements Bans. It allocates nothing.
func (l *BanList) Find(a netip.Addr) (ban Ban, ok bool) {
	a = a.Unmap().WithZone("")
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.index) == 0 || !a.IsValid() {
		return ban, false
	}
	lens, now := l.lens[:33], time.Time{}
	if a.Is6() {
		lens = l.lens[33:]
	}
	for bits := len(lens) - 1; bits >= 0; bits-- {
		if lens[bits] == 0 {
			continue
		}
		net, _ := a.Prefix(bits)
		b := l.index[net]
		if b == nil {
			continue
		}
		if now.IsZero() {
			now = l.now()
		}
		if b.ended(now) {
			l.remove(net)
			l.changed()
			continue
		}
		if !b.RconOnly {
			return b.Ban, true
		}
		if !ok {
			ban, ok = b.Ban, true
		}
	}
	return ban, ok
}

// All implements Bans.
func (l *BanList) All() []Ban {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all()
}

func (l *BanList) all() []Ban {
	l.expire(l.now())
	order := slices.SortedFunc(maps.Values(l.index), func(a, b *entry) int { return a.number - b.number })
	bans := make([]Ban, len(order))
	for i, b := range order {
		bans[i] = b.Ban
	}
	return bans
}

// changed sees to it that the file is written soon.
func (l *BanList) changed() {
	if l.path != "" && l.saving == nil {
		l.saving = time.AfterFunc(saveDelay, func() { l.Save() })
	}
}

// Save writes the file, if the list has one, and returns what went wrong.
func (l *BanList) Save() error {
	l.writing.Lock()
	defer l.writing.Unlock()
	return l.save()
}

// save is Save for who holds writing.
func (l *BanList) save() error {
	l.mu.Lock()
	if l.saving != nil {
		l.saving.Stop()
		l.saving = nil
	}
	bans := l.all()
	l.mu.Unlock()
	if l.path == "" {
		return nil
	}
	b, err := json.MarshalIndent(banFile{bans}, "", "\t")
	if err == nil {
		err = WriteFile(l.path, append(b, '\n'))
	}
	l.mu.Lock()
	l.err = err
	l.mu.Unlock()
	return err
}

// Err returns why the file could not be written the last time, nil if it could.
func (l *BanList) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// Close writes what was not written yet.
func (l *BanList) Close() error {
	l.writing.Lock()
	defer l.writing.Unlock()
	l.mu.Lock()
	saved, err := l.saving == nil, l.err
	l.mu.Unlock()
	if saved {
		return err
	}
	return l.save()
}

// WriteFile replaces a file as a whole: whoever reads it, even after a power cut,
// finds the old content or the new one. Only the owner may read it.
func WriteFile(path string, b []byte) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	err = cmp.Or(err, f.Sync())
	err = cmp.Or(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}
