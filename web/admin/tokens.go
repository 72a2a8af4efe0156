package admin

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/teeyard/teeyard/internal/atomicfile"
	"github.com/teeyard/teeyard/server/console"
)

const (
	tokenPrefix   = "teeyard_" // secret scanners recognise it
	maxTokens     = 64
	maxTokensFile = 64 << 10
)

var tokenName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$`)

// token lets a program in. Only its hash is stored, so a reader of the file gains no access.
type token struct {
	Name    string    `json:"name"`
	Level   string    `json:"level"`
	Hash    []byte    `json:"sha256"`
	Created time.Time `json:"created"`
	Expires time.Time `json:"expires,omitzero"`
}

// tokens are the tokens that were issued.
type tokens struct {
	file string
	err  error // why the file is unreadable; if set, the file is not changed

	mu     sync.Mutex
	byHash map[[sha256.Size]byte]token
}

// init reads the tokens of a file, if it exists.
func (t *tokens) init(file string) {
	t.file, t.byHash = file, make(map[[sha256.Size]byte]token)
	if file == "" {
		return
	}
	info, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err == nil && (!info.Mode().IsRegular() || info.Size() > maxTokensFile) {
		err = errors.New("not a regular file, or too large for a token file")
	}
	var b []byte
	if err == nil {
		b, err = os.ReadFile(file)
	}
	if err == nil {
		err = t.parse(b)
	}
	if err != nil {
		t.err = fmt.Errorf("%s: %w; tokens do not work until you repair or delete the file", file, err)
	}
}

// parse sets the tokens to the content of a file.
func (t *tokens) parse(b []byte) error {
	var list []token
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields() // a token whose expiry field is misspelt would never expire
	if err := d.Decode(&list); err != nil {
		return err
	}
	if rest := bytes.TrimSpace(b[d.InputOffset():]); len(rest) > 0 {
		return fmt.Errorf("unexpected data after the list, at byte %d", d.InputOffset())
	}
	byHash := make(map[[sha256.Size]byte]token)
	for _, one := range list {
		if _, ok := console.ParseLevel(one.Level); !ok || len(one.Hash) != sha256.Size || !tokenName.MatchString(one.Name) {
			return fmt.Errorf("token %q is damaged", one.Name)
		}
		byHash[[sha256.Size]byte(one.Hash)] = one
	}
	t.byHash = byHash
	return nil
}

// find returns the token with a text.
func (t *tokens) find(text string, now time.Time) (token, bool) {
	if len(text) > 128 || !strings.HasPrefix(text, tokenPrefix) {
		return token{}, false
	}
	hash := sha256.Sum256([]byte(text))
	t.mu.Lock()
	defer t.mu.Unlock()
	one, ok := t.byHash[hash]
	return one, ok && (one.Expires.IsZero() || now.Before(one.Expires))
}

// list returns all tokens by name.
func (t *tokens) list() []token {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.sorted()
}

func (t *tokens) sorted() []token {
	list := make([]token, 0, len(t.byHash))
	for _, one := range t.byHash {
		list = append(list, one)
	}
	slices.SortFunc(list, func(a, b token) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

// add creates a token and returns its text. The text cannot be recovered later.
func (t *tokens) add(name, level string, now, expires time.Time) (text string, err error) {
	if t.err != nil {
		return "", &apiError{http.StatusInternalServerError, t.err.Error()}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, one := range t.byHash {
		if one.Name == name {
			return "", &apiError{http.StatusConflict, "a token with this name already exists"}
		}
	}
	if len(t.byHash) >= maxTokens {
		return "", &apiError{http.StatusConflict, fmt.Sprintf("there are already %d tokens, the maximum; remove one first", maxTokens)}
	}
	var secret [32]byte
	rand.Read(secret[:]) // never fails
	text = tokenPrefix + base64.RawURLEncoding.EncodeToString(secret[:])
	hash := sha256.Sum256([]byte(text))
	t.byHash[hash] = token{Name: name, Level: level, Hash: hash[:], Created: now.UTC().Truncate(time.Second), Expires: expires}
	if err := t.store(); err != nil {
		delete(t.byHash, hash)
		return "", err
	}
	return text, nil
}

// remove removes a token.
func (t *tokens) remove(name string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	for hash, one := range t.byHash {
		if one.Name == name {
			delete(t.byHash, hash)
			return t.store()
		}
	}
	return errNotFound
}

func (t *tokens) store() error {
	if t.file == "" {
		return nil
	}
	b, err := json.MarshalIndent(t.sorted(), "", "\t")
	if err == nil {
		err = atomicfile.Write(t.file, append(b, '\n'))
	}
	if err != nil {
		return &apiError{http.StatusInternalServerError, fmt.Sprintf("the tokens cannot be stored: %v", err)}
	}
	return nil
}
