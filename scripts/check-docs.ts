// Checks the documents: links lead somewhere, anchors exist, TypeScript samples run, walks keep their promises.
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { findDocuments, lineAt, samplesIn } from './documents.ts';
import { runSamples } from './docs/run-samples.ts';
import { flagsPage } from './flags-page.ts';
import { publicNamesPage } from './public-names.ts';

const root = join(import.meta.dirname, '..');
const problems: string[] = [];
const documents = await findDocuments(root);
const samples: { readonly from: string; readonly code: string; readonly given: string; readonly isRun: boolean }[] = [];

for (const path of documents) {
  const text = await readFile(path, 'utf8');
  await checkLinks(path, text);
  for (const { line, code, given, isRun } of samplesIn(text))
    samples.push({ from: `${relative(root, path)}:${line}`, code, given, isRun });
}
await checkMainWalk();
await checkFlags();
await checkCoverage();
await checkPublicNames();
await checkSamples();
for (const problem of problems) console.error(problem);
console.log(`docs: ${documents.length} documents, ${samples.length} samples, ${problems.length} problems`);
process.exit(problems.length === 0 ? 0 : 1);

async function checkLinks(path: string, text: string): Promise<void> {
  const prose = text.replaceAll(/```.*?```/gs, (block) => block.replaceAll(/[^\n]/g, ' '));
  for (const match of prose.matchAll(/\[[^\]]*\]\(([^)\s]+)\)/g)) {
    const target = match[1] ?? '';
    if (/^[a-z]+:/.test(target)) continue;
    const place = `${relative(root, path)}:${lineAt(text, match.index)}`;
    const [file = '', anchor = ''] = target.split('#');
    const full = file === '' ? path : resolve(dirname(path), file);
    if (!existsSync(full)) {
      problems.push(`${place}: link to "${target}" leads nowhere`);
    } else if (anchor !== '') {
      await checkAnchor(full, anchor, place);
    }
  }
}

async function checkAnchor(path: string, anchor: string, place: string): Promise<void> {
  if ((await stat(path)).isDirectory()) return;
  const text = await readFile(path, 'utf8');
  const line = /^L(\d+)$/.exec(anchor)?.[1];
  const isThere =
    line === undefined
      ? [...text.matchAll(/^#+ (.*)$/gm)].some((match) => slug(match[1] ?? '') === anchor)
      : Number(line) <= text.split('\n').length;
  if (!isThere) problems.push(`${place}: "${relative(root, path)}" has no "#${anchor}"`);
}

function slug(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

async function checkFlags(): Promise<void> {
  const text = await readFile(join(root, 'docs', 'reference', 'flags.md'), 'utf8');
  if (text !== (await flagsPage())) problems.push('docs/reference/flags.md is out of date: run "npm run flags"');
}

/** Each row of the coverage page that claims something names a test that holds it; links are checked with all others. */
async function checkCoverage(): Promise<void> {
  const page = join('docs', 'reference', 'coverage.md');
  const lines = (await readFile(join(root, page), 'utf8')).split('\n');
  for (const [index, line] of lines.entries()) {
    const [, contract = '', state = '', , tests = ''] = line.split(/(?<!\\)\|/).map((cell) => cell.trim());
    if (!['shipped', 'partial', 'refused'].includes(state)) continue;
    if (!/\]\(\.\.\/\.\.\/[^)]+\.test\.ts\)/.test(tests))
      problems.push(`${page}:${index + 1}: "${contract}" is ${state}, but the row names no test that holds it`);
  }
}

async function checkPublicNames(): Promise<void> {
  const text = await readFile(join(root, 'docs', 'reference', 'public-names.md'), 'utf8');
  if (text !== publicNamesPage())
    problems.push('docs/reference/public-names.md is out of date: run "npm run public-names"');
}

/** The walk through the whole system stays short: a limited number of files, none of them long. */
async function checkMainWalk(): Promise<void> {
  const text = await readFile(join(root, 'ARCHITECTURE.md'), 'utf8');
  const walk = /^## Walk: one Deployment .*?(?=^## )/ms.exec(text)?.[0] ?? '';
  const files = new Set([...walk.matchAll(/\]\((src\/[^)#]+)\)/g)].map((match) => match[1] ?? ''));
  if (files.size === 0 || files.size > 15)
    problems.push(`ARCHITECTURE.md: the main walk has ${files.size} files, not 1 to 15`);
  for (const file of files) {
    if (!existsSync(join(root, file))) continue; // a dead link, which is reported elsewhere
    const lines = (await readFile(join(root, file), 'utf8')).trimEnd().split('\n').length;
    if (lines > 300) problems.push(`ARCHITECTURE.md: the main walk goes through ${file}, which has ${lines} lines`);
  }
}

/** Their types are checked with the tree's, by check-types.ts. */
async function checkSamples(): Promise<void> {
  await mkdir(join(root, 'node_modules'), { recursive: true });
  const folder = await mkdtemp(join(root, 'node_modules', '.docs-'));
  try {
    const run = samples.filter(({ isRun }) => isRun);
    const written = run.map(({ from, given }, index) => ({ from, given, path: join(folder, `sample-${index}.ts`) }));
    for (const [index, { code }] of run.entries()) await writeFile(join(folder, `sample-${index}.ts`), code);
    problems.push(...(await runSamples(written, { root, folder })));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
