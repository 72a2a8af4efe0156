package web

import (
	"fmt"
	"net/http"
	"strings"
)

// lostPage is the answer to a browser that asks for a page that does not exist. The verb is the way
// to the root of the server, such as ../
const lostPage = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="dark">
<title>No such page · Teeyard</title>
<link rel="icon" href="%[1]sviewer/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="%[1]sviewer/page/look.css">
<link rel="stylesheet" href="%[1]sviewer/page/replays.css">
<main class="vacant">
<img src="%[1]sviewer/lost.svg" alt="" width="480" height="220">
<h1>There is no such page</h1>
<p>The match is where it was.</p>
<a href="%[1]s.">Watch the match</a>
</main>
</html>
`

// withLost answers browsers that ask for a page that mux does not have with a page. Other programs
// get the text of package http.
func withLost(mux *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet && strings.Contains(r.Header.Get("Accept"), "text/html") {
			if _, pattern := mux.Handler(r); pattern == "" {
				h := w.Header()
				h.Set("Content-Type", "text/html; charset=utf-8")
				h.Set("X-Content-Type-Options", "nosniff")
				h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; img-src 'self'; frame-ancestors 'none'")
				w.WriteHeader(http.StatusNotFound)
				root := "./" + strings.Repeat("../", max(strings.Count(r.URL.Path, "/")-1, 0))
				fmt.Fprintf(w, lostPage, root)
				return
			}
		}
		mux.ServeHTTP(w, r)
	})
}
