package web

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/teeyard/teeyard/transport"
)

// Key is the secret that proves that a request comes from the operator's machine. An address does
// not prove it: strangers behind a proxy have the proxy's, and no header has to say that there is
// one. The zero Key lets no request in.
type Key struct{ text string }

// keyBytes is the number of random bytes of a key.
const keyBytes = 16

// keyText matches what may be a key: an operator may write one into the file.
var keyText = regexp.MustCompile(`^[A-Za-z0-9_-]{16,128}$`)

// NewKey returns a new key.
func NewKey() Key {
	var b [keyBytes]byte
	rand.Read(b[:]) // never fails
	return Key{base64.RawURLEncoding.EncodeToString(b[:])}
}

// OpenKey reads the key of a file. Without one, or with an empty one, it writes a new key there,
// which only the file's owner may read. Servers with the same file have the same key. With an
// error, the key is a new one that is in memory only.
func OpenKey(path string) (Key, error) {
	k, err := readKey(path)
	if !errors.Is(err, errNoKey) {
		return k, err
	}
	// A file that is there is whole: nothing is written to it under its name.
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return k, err
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(k.text + "\n")
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return k, err
	}
	switch err = os.Link(f.Name(), path); {
	case errors.Is(err, fs.ErrExist): // that of a server that was faster, or an empty one
		if other, err := readKey(path); !errors.Is(err, errNoKey) {
			return other, err
		}
		err = os.Rename(f.Name(), path)
	case err != nil: // a file system without links
		err = os.Rename(f.Name(), path)
	}
	return k, err
}

// errNoKey is returned for a file that is not there, or empty.
var errNoKey = errors.New("no key")

// readKey reads the key of a file, or returns a new one and an error.
func readKey(path string) (Key, error) {
	b, err := os.ReadFile(path)
	text := strings.TrimSpace(string(b))
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && text == "":
		return NewKey(), errNoKey
	case err != nil:
		return NewKey(), err
	case !keyText.MatchString(text):
		return NewKey(), fmt.Errorf("%s: this is no key; delete the file for a new one", path)
	}
	return Key{text}, nil
}

// Link returns the address of a page with the key, which lets a browser in.
func (k Key) Link(page string) string {
	u, err := url.Parse(page)
	if err != nil {
		return page
	}
	q := u.Query()
	q.Set(keyParameter, k.text)
	u.RawQuery = q.Encode()
	return u.String()
}

// Authorize adds the key to a request of a program.
func (k Key) Authorize(r *http.Request) { r.Header.Set("Authorization", "Bearer "+k.text) }

// keyParameter is the parameter of links that has the key.
const keyParameter = "key"

// keyCookieTime is how long a browser stays let in. Browsers keep no cookie much longer.
const keyCookieTime = 365 * 24 * time.Hour

// matches reports whether a text is the key, in constant time.
func (k Key) matches(text string) bool {
	return k.text != "" && subtle.ConstantTimeCompare([]byte(text), []byte(k.text)) == 1
}

// keyCookie returns the name of the cookie with the key. Browsers do not keep apart the ports of
// a host, on which other servers may be.
func keyCookie(r *http.Request) string {
	name := "teeyard-key"
	if _, port, err := net.SplitHostPort(r.Host); err == nil {
		name += "-" + port
	}
	return name
}

// proof is what a request has proven, in its context.
type proof struct{ byHeader bool }

type proofKey struct{}

// Prove returns a request that has proven, by the key or another secret of the operator, to be from
// this machine.
func Prove(r *http.Request) *http.Request { return prove(r, proof{}) }

func prove(r *http.Request, p proof) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), proofKey{}, p))
}

// IsLocal reports whether a request has proven that the operator of this machine sent it: it has
// the key (see [Key.Handler]), and besides it comes from this machine or a private network, asks
// for this machine and not for a web site, and nothing says that a proxy forwarded it. The latter
// prove nothing, but keep out most of what comes with a key that got lost.
func IsLocal(r *http.Request) bool {
	if _, proven := r.Context().Value(proofKey{}).(proof); !proven || isForwarded(r) || r.URL.Host != "" {
		return false
	}
	peer, ok := peerOf(r)
	return ok && transport.IsLAN(peer.Addr()) && isOwnHost(hostOf(r), hostname())
}

// HasKey reports whether a request has the key in its header Authorization.
func HasKey(r *http.Request) bool {
	p, _ := r.Context().Value(proofKey{}).(proof)
	return p.byHeader
}

// IsLoopback reports whether a request comes from a loopback address and asks for one, which
// proves nothing.
func IsLoopback(r *http.Request) bool {
	peer, ok := peerOf(r)
	return ok && peer.Addr().IsLoopback() && isLoopbackHost(hostOf(r))
}

// bearer returns the secret in the header Authorization.
func bearer(r *http.Request) (secret string, ok bool) {
	scheme, secret, ok := strings.Cut(r.Header.Get("Authorization"), " ")
	return strings.TrimSpace(secret), ok && strings.EqualFold(scheme, "Bearer")
}

// Handler returns a handler that looks for the key in requests before next serves them: in the
// header Authorization, in a cookie, and in the parameter key of a link. A browser that opens such
// a link gets the cookie, and is redirected to the same page without the key.
func (k Key) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		secret, has := bearer(r)
		byHeader := has && k.matches(secret)
		cookie, err := r.Cookie(keyCookie(r))
		link := r.URL.Query().Get(keyParameter)
		switch {
		case byHeader, k.matches(link), err == nil && k.matches(cookie.Value):
			r = prove(r, proof{byHeader})
		case link != "":
			http.Error(w, "This link has another key than the server; it may be an old one. The server's log has the link of today.", http.StatusForbidden)
			return
		}
		if link != "" && isPage(r) && IsLocal(r) {
			k.letIn(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// isPage reports whether a browser asks for a page to show.
func isPage(r *http.Request) bool {
	return r.Method == http.MethodGet && r.Header.Get("Upgrade") == "" && strings.Contains(r.Header.Get("Accept"), "text/html")
}

// letIn gives a browser the cookie and leads it to the page without the key.
func (k Key) letIn(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	q.Del(keyParameter)
	to := url.URL{Path: "/" + strings.TrimLeft(r.URL.Path, "/"), RawQuery: q.Encode()}
	// Lax, since a browser does not send strict ones after a link in another page.
	http.SetCookie(w, &http.Cookie{
		Name: keyCookie(r), Value: k.text, Path: "/", MaxAge: int(keyCookieTime / time.Second),
		HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: r.TLS != nil,
	})
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Location", to.String())
	w.WriteHeader(http.StatusSeeOther)
}
