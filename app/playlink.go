package app

import (
	"cmp"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"slices"

	"github.com/teeyard/teeyard/web"
	"github.com/teeyard/teeyard/web/play"
)

// logPages logs the links to pages for others. The page of the server has a certificate.
func logPages(log *slog.Logger, page string) {
	log.Info(page + "play is the page to play in the browser, and " + page + "admin the admin page, for everyone who reaches this server")
}

// logPlay logs the links to the page that plays: for this machine, with the key, and for others if
// they reach a listener. The address of others is page, unless it is empty.
func logPlay(log *slog.Logger, settings *web.Settings, key web.Key, page string, plain, secure []net.Listener) {
	log.Info(fmt.Sprintf("/play has the program of %s, compiled with %s", play.Program().Commit, play.Program().Go))
	if page := localPage(plain); page != "" {
		log.Info(key.Link(page+"play") + " is the page to play in the browser, on this machine")
	}
	link := page
	if page != "" {
		logPages(log, page)
	} else if link = cmp.Or(publicLink("https", secure), publicLink("http", plain)); link != "" {
		log.Info(link + " is the page to play in the browser, for everyone who reaches that address")
	}
	if text := settings.PlayHindrance(link != ""); text != "" {
		log.Warn(text)
	}
}

// publicLink returns the address of the page that plays for other machines, or "" if no listener
// serves them.
func publicLink(scheme string, listeners []net.Listener) string {
	for _, l := range listeners {
		a, ok := l.Addr().(*net.TCPAddr)
		if !ok || a.IP.IsLoopback() {
			continue
		}
		host := a.IP.String()
		switch {
		case scheme == "https":
			host = "HOST" // the certificate has a name that the server does not know
		case a.IP.IsUnspecified():
			host = machineAddress()
		}
		return fmt.Sprintf("%s://%s/play", scheme, net.JoinHostPort(host, fmt.Sprint(a.Port)))
	}
	return ""
}

// machineAddress returns an address of this machine that others may reach, or "HOST" if it finds
// none.
func machineAddress() string {
	var found []netip.Addr
	all, _ := net.InterfaceAddrs()
	for _, a := range all {
		if p, err := netip.ParsePrefix(a.String()); err == nil && p.Addr().IsGlobalUnicast() {
			found = append(found, p.Addr())
		}
	}
	if len(found) == 0 {
		return "HOST"
	}
	// Public addresses come first, and among these IPv4.
	rank := func(a netip.Addr) int {
		n := 0
		if a.IsPrivate() {
			n += 2
		}
		if !a.Is4() {
			n++
		}
		return n
	}
	return slices.MinFunc(found, func(a, b netip.Addr) int { return rank(a) - rank(b) }).String()
}
