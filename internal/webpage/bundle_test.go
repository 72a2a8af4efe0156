package webpage

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/teeyard/teeyard/internal/testenv"
)

// siteOf returns a site with one folder.
func siteOf(folder string, files map[string]string) Site {
	all := fstest.MapFS{}
	for name, text := range files {
		all[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return Site{folder: all}
}

// TestBundle checks the order of modules, their names for each other, and their addresses.
func TestBundle(t *testing.T) {
	site := Site{
		"a/static": fstest.MapFS{
			"main.js": {Data: []byte(`/** An entry. @type {import('./sub/tee.js').Tee} */
import { half, Tee as T } from './sub/tee.js'; // both
import {
	LIMIT,
} from '../../b/limit.js';

const here = import.meta.url;
/** @type {any} */ (globalThis).x = [here, new T(half(LIMIT))];
`)},
			"sub/tee.js": {Data: []byte(`import { LIMIT } from '../../../b/limit.js';
/** Half of n. @param {number} n */
export function half(n) {
	return n / 2 > LIMIT ? n : n / 2; // a comment
}
export class Tee { #a = 'no // comment'; text() { return this.#a; } }
export async function load() { await 0; }
`)},
		},
		"b": fstest.MapFS{"limit.js": {Data: []byte("export const LIMIT = 3;\n")}},
	}
	got := string(testenv.Must(bundle(site, "a/static/main.js", "a/static")))
	for _, part := range []string{"new URL('../../a/static/main.js',import.meta.url).href", "'no // comment'", "globalThis.x="} {
		testenv.Check(t, strings.Contains(strings.ReplaceAll(got, `"`, "'"), part), "no %s in\n%s", part, got)
	}
	testenv.Check(t, !strings.Contains(got, "a comment") && !strings.Contains(got, "import{"), "%s", got)
	limit, tee, entry := strings.Index(got, "3"), strings.Index(got, "class"), strings.Index(got, "URL")
	testenv.Check(t, limit < tee && tee < entry, "the order is wrong:\n%s", got)
}

// TestNotBundled checks that a bundler refuses all that it would change the meaning of.
func TestNotBundled(t *testing.T) {
	for _, script := range []string{
		"import './b.js';", "import b from './b.js';", "import * as b from './b.js';", "import { b } from 'b';", "const b = import('./b.js');",
		"export default 1;", "export { b };", "export let b = 1;", "export const { b } = c;", "export * from './b.js';",
		"await f();", "const a = await f();", "for await (const a of b) {}", "const a = 'b", "/* b", "const a = `b", "const a = `${b", "const a = /b",
		"import { missing } from './b.js';", "import { a } from './main.js';", "import { a } from './sub/b.js';",
	} {
		_, err := bundle(siteOf("x", map[string]string{
			"main.js": script + "\n", "b.js": "export const b = 1;\n", "sub/b.js": "import { c } from '../main.js';\n",
		}), "x/main.js", "x")
		testenv.Check(t, errors.Is(err, ErrBundle), "%s is bundled: %v", script, err)
	}
}
