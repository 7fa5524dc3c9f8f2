// Checks the words of sources and documents against scripts/forbidden-words.ts. Arguments limit it to folders or files:
// `npm run check:words -- src/controllers`. Of `test`, only the titles of tests are checked.
import { existsSync, statSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findForbiddenWords, isAllowed, testTitlesOf } from './forbidden-words.ts';

const root = join(import.meta.dirname, '..');
const given = process.argv.slice(2);
const wanted =
  given.length > 0
    ? given
    : ['src', 'examples', 'docs', 'test', 'README.md', 'CONTRIBUTING.md', 'ARCHITECTURE.md', 'SECURITY.md'];

let files = 0;
let problems = 0;
for (const path of await filesIn(wanted)) {
  const text = await readFile(join(root, path), 'utf8');
  const checked = path.startsWith('test/') ? testTitlesOf(text) : text;
  files += 1;
  for (const { line, phrase, instead } of findForbiddenWords(checked)) {
    if (isAllowed(path, phrase)) continue;
    problems += 1;
    console.error(`${path}:${line}: "${phrase}": say ${instead}`);
  }
}
console.log(`words: ${files} files, ${problems} problems`);
process.exit(problems === 0 ? 0 : 1);

async function filesIn(places: readonly string[]): Promise<readonly string[]> {
  const found = new Set<string>();
  for (const place of places.map((each) => each.replace(/\/$/, ''))) {
    if (!existsSync(join(root, place))) throw new Error(`Cannot check words: there is no "${place}"`);
    if (!statSync(join(root, place)).isDirectory()) found.add(place);
    else
      for (const path of await readdir(join(root, place), { recursive: true }))
        if (/\.(ts|mjs|md)$/.test(path)) found.add(`${place}/${path}`);
  }
  return [...found].filter((path) => !/(^|\/)(testdata|node_modules|dist)\//.test(path)).sort();
}
