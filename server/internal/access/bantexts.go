package access

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/teeyard/teeyard/bans"
	"github.com/teeyard/teeyard/internal/words"
	"github.com/teeyard/teeyard/server/console"
)

// Message returns the text about a ban for banned clients.
func (l *Bans) Message(b *bans.Ban) string { return "You have been banned " + l.Terms(b) }

// Terms returns the remaining time of a ban and its reason.
func (l *Bans) Terms(b *bans.Ban) string {
	reason := cmp.Or(b.Reason, "No reason given")
	if b.Until.IsZero() {
		return fmt.Sprintf("for life (%s)", reason)
	}
	return fmt.Sprintf("for %s (%s)", words.Count(minutesUntil(l.clock(), b.Until), "minute"), reason)
}

// minutesUntil returns the time until then, rounded up as in the original, and at least 1.
func minutesUntil(now, then time.Time) int {
	return max(1, int((then.Sub(now)+time.Minute-1)/time.Minute))
}

// quoteTarget returns the banned addresses in the form of console lines.
func quoteTarget(b *bans.Ban) string {
	if b.Range.IsValid() {
		return fmt.Sprintf("'%s' - '%s'", b.Range.First, b.Range.Last)
	}
	return "'" + bans.FormatNet(b.Net) + "'"
}

// appendBans appends the commands that make the bans of a list again. The original runs them, too:
// it reads ranges but no networks. DDNet-Server has another command for ranges.
func appendBans(dst []byte, list []bans.Ban, now time.Time, forDDNet bool) []byte {
	for _, b := range list {
		minutes := -1 // for life
		if !b.Until.IsZero() {
			minutes = minutesUntil(now, b.Until)
		}
		reason := b.Reason
		if strings.ContainsAny(reason, "\"\\;#") || reason != strings.TrimSpace(reason) {
			reason = console.Quote(reason)
		}
		first, last := b.Ends()
		command, target := "ban", saveAddr(first)
		switch {
		case first == last:
		case forDDNet:
			command, target = "ban_range", target+" "+saveAddr(last)
		default:
			target += "-" + saveAddr(last)
		}
		dst = fmt.Appendf(dst, "%s %s %d %s\n", command, target, minutes, reason)
	}
	return dst
}

// saveAddr returns an address as the original reads it.
func saveAddr(a netip.Addr) string {
	if a.Is6() {
		return "[" + a.String() + "]"
	}
	return a.String()
}

var errNoBans = errors.New("the file exists and is not a list of bans")

// checkBanList returns an error for a file that contains anything but lines of bans_save, also of
// the original's. The end of a file larger than console.MaxFile does not count.
func checkBanList(content []byte) error {
	if len(content) > console.MaxFile {
		content = content[:bytes.LastIndexByte(content, '\n')+1]
	}
	for line := range strings.Lines(string(content)) {
		var target, minutes string
		switch words := strings.Fields(line); {
		case len(words) == 0:
			continue
		case words[0] == "ban" && len(words) > 2:
			target, minutes = words[1], words[2]
		case words[0] == "ban_range" && len(words) > 3:
			target, minutes = words[1]+"-"+words[2], words[3]
		}
		if _, err := bans.Parse(target); err != nil {
			return errNoBans
		}
		if _, err := strconv.Atoi(minutes); err != nil {
			return errNoBans
		}
	}
	return nil
}
