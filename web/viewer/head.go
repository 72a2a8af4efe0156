package viewer

import (
	"fmt"
	"html"
	"net/http"
	"strings"

	"github.com/teeyard/teeyard/web"
)

// isHost reports whether the Host of a request looks like one.
func isHost(host string) bool {
	return host != "" && len(host) < 256 && !strings.ContainsFunc(host, func(c rune) bool {
		return !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.ContainsRune("-.:[]", c))
	})
}

// early are the answers that the page of the current match needs first. Browsers request them
// together with the script.
const early = `<link rel="preload" href="live.json" as="fetch" crossorigin>
<link rel="preload" href="viewer/data/index.json" as="fetch" crossorigin>
`

// head returns the title of a page, what it needs first, and what other sites show with a link to
// it.
func head(r *http.Request, a web.About) string {
	if a.Name == "" {
		return ""
	}
	title, text := a.Name, "Watch the match in your browser, or play in it."
	if strings.HasSuffix(r.URL.Path, "/replays") {
		title, text = "Replays · "+a.Name, "Watch recorded matches in your browser."
	} else if a.Map != "" {
		text = fmt.Sprintf("%s on %s. %s", a.GameType, a.Map, text)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "<title>%s · Teeyard</title>\n", html.EscapeString(title))
	meta := func(property, content string) {
		fmt.Fprintf(&b, "<meta property=\"og:%s\" content=\"%s\">\n", property, html.EscapeString(content))
	}
	if r.URL.Path == "/" && r.URL.RawQuery == "" {
		b.WriteString(early)
	}
	meta("type", "website")
	meta("site_name", "Teeyard")
	meta("title", title)
	meta("description", text)
	if isHost(r.Host) {
		scheme := "http"
		if r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https" {
			scheme = "https"
		}
		meta("image", scheme+"://"+r.Host+"/viewer/preview.jpg")
		b.WriteString("<meta name=\"twitter:card\" content=\"summary_large_image\">\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}
