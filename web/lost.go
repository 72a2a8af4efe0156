package web

import (
	"fmt"
	"html"
	"net/http"
	"strings"
	"unicode"
	"unicode/utf8"
)

// sorryPage is the answer to a browser that does not get the page it asks for. The verbs are the
// way to the root of the server, such as ../, the title, what there is to read, and a drawing.
const sorryPage = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="dark">
<title>%[2]s · Teeyard</title>
<link rel="icon" href="%[1]sviewer/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="%[1]sviewer/page/look.css">
<link rel="stylesheet" href="%[1]sviewer/page/replays.css">
<main class="vacant">
<img src="%[1]sviewer/%[4]s" alt="" width="480" height="220">
<h1>%[2]s</h1>
%[3]s<a href="%[1]s.">Watch the match</a>
</main>
</html>
`

// isForReading reports whether a browser wants to show the answer to a request.
func isForReading(r *http.Request) bool {
	return r.Method == http.MethodGet && strings.Contains(r.Header.Get("Accept"), "text/html")
}

// sorry answers a request of a browser with a page instead of the one that it wants.
func sorry(w http.ResponseWriter, r *http.Request, status int, drawing, title, text string) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; img-src 'self'; frame-ancestors 'none'")
	w.WriteHeader(status)
	var b strings.Builder
	for paragraph := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		element := "p"
		if strings.HasPrefix(paragraph, "  ") {
			element = "pre"
		}
		fmt.Fprintf(&b, "<%[1]s>%[2]s</%[1]s>\n", element, html.EscapeString(strings.TrimSpace(paragraph)))
	}
	root := "./" + strings.Repeat("../", max(strings.Count(r.URL.Path, "/")-1, 0))
	fmt.Fprintf(w, sorryPage, root, html.EscapeString(title), b.String(), drawing)
}

const denied = "Access denied"

// Deny answers a request that may not enter. The reason says why and how to get in. It consists of
// paragraphs. Those that begin with two spaces are lines to copy. Browsers show a page, and other
// programs get the text.
func Deny(w http.ResponseWriter, r *http.Request, status int, reason string) {
	if !isForReading(r) {
		http.Error(w, denied+": "+reason, status)
		return
	}
	if word, _, _ := strings.Cut(reason, " "); !strings.Contains(word, "_") { // no setting
		first, size := utf8.DecodeRuneInString(reason)
		reason = string(unicode.ToUpper(first)) + reason[size:]
	}
	sorry(w, r, status, "empty.svg", denied, reason)
}

// withLost answers browsers that ask for a page that mux does not have with a page. Other programs
// get the text of package http.
func withLost(mux *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if isForReading(r) {
			if _, pattern := mux.Handler(r); pattern == "" {
				sorry(w, r, http.StatusNotFound, "lost.svg", "There is no such page", "The match is where it was.")
				return
			}
		}
		mux.ServeHTTP(w, r)
	})
}
