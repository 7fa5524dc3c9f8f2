// Plants seeded faults in src/, one at a time in a copy, and reports which ones the tests notice.
//   npm run mutate [-- --count 100] [--seed S] [--skip N] [--only N,N] [--under src/store] [--limit SECONDS] [--at-least PERCENT] [--record]
// A first run records which test files execute which statements, so that a fault meets only the tests that can notice it; with
// --record it does so again.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { load } from 'js-yaml';
import { Checkout } from './checkout.ts';
import { ExecutionRecord, recordExecution } from './execution-record.ts';
import { ImportGraph, sourcesUnder } from './import-graph.ts';
import { type Mutation, mutationsOf, OPERATORS } from './mutations.ts';
import { Trial } from './trial.ts';

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    skip: { type: 'string', default: '0' },
    only: { type: 'string' },
    under: { type: 'string', default: 'src' },
    limit: { type: 'string', default: '300' },
    'at-least': { type: 'string', default: '92' },
    record: { type: 'boolean', default: false },
  },
});
const root = join(import.meta.dirname, '..', '..');
const limitMs = Number(values.limit) * 1000;

interface Planted extends Mutation {
  readonly file: string;
  readonly source: string;
}

/** Faults that change nothing anybody could see, with the reason; they are passed over. */
const equivalent = load(readFileSync(join(import.meta.dirname, 'equivalent.yaml'), 'utf8')) as readonly {
  readonly file: string;
  readonly before: string;
  readonly after: string;
}[];

const NOT_CODE = /\.test\.ts$|\.d\.ts$|\/testing\/|\/testdata\/|\/generated\/|\/types\/|\/index\.ts$/;

function allMutations(): Map<string, Planted[]> {
  const found = new Map<string, Planted[]>(OPERATORS.map((operator) => [operator, []]));
  for (const file of sourcesUnder(values.under, root)) {
    if (NOT_CODE.test(file)) continue;
    const source = readFileSync(join(root, file), 'utf8');
    for (const mutation of mutationsOf(source)) found.get(mutation.operator)?.push({ ...mutation, file, source });
  }
  return found;
}

/** One after the other, every operator as often as the others. A change elsewhere in src/ leaves the choice as it is. */
function* chosen(count: number): Generator<Planted> {
  const all = [...allMutations().values()].map((ofOperator) =>
    ofOperator
      .map((planted) => ({ planted, place: placeOf(planted) }))
      .toSorted((left, right) => (left.place < right.place ? -1 : 1)),
  );
  for (let made = 0; made < count;) {
    const planted = all[made % all.length]?.shift()?.planted;
    if (planted === undefined) return;
    const { before, after } = linesOf(planted);
    if (equivalent.some((one) => one.file === planted.file && one.before === before && one.after === after)) continue;
    made += 1;
    yield planted;
  }
}

/** Where a fault stands in the order of the seed. */
function placeOf(planted: Planted): string {
  const { before, after } = linesOf(planted);
  return createHash('sha256').update([values.seed, planted.file, before, after].join('\0')).digest('hex');
}

function linesOf({ source, start, end, replacement }: Planted): { line: number; before: string; after: string } {
  const from = source.lastIndexOf('\n', start - 1) + 1;
  const stop = source.indexOf('\n', end);
  const to = stop < 0 ? source.length : stop;
  const after = source.slice(from, start) + replacement + source.slice(end, to);
  return {
    line: source.slice(0, start).split('\n').length,
    before: source.slice(from, to).trim(),
    after: after.trim(),
  };
}

function differenceOf(planted: Planted): string {
  const { before, after } = linesOf(planted);
  const marked = (mark: string, text: string): string =>
    text
      .split('\n')
      .map((line) => `    ${mark} ${line}`)
      .join('\n');
  return `${marked('-', before)}\n${marked('+', after)}`;
}

const count = Number(values.count);
const kept = join(root, 'node_modules', '.cache', 'keelson-mutate');
if (values.record || !existsSync(join(kept, 'digests.json'))) {
  console.log('recording which tests execute what: every test runs once');
  await recordExecution(root, kept);
}
const record = new ExecutionRecord(root, kept, new ImportGraph(root));
using mutated = new Checkout(root);
using sound = new Checkout(root);
const unsound = await sound.failedCheck('src', limitMs);
if (unsound !== undefined) throw new Error(`Cannot plant faults: ${unsound} has something to say before there is one`);
const trial = new Trial(mutated, sound, (test) => record.hasPassed(test));
const missed: string[] = [];
const only = values.only?.split(',').map(Number);
const isWanted = (one: number): boolean => only?.includes(one) ?? one > Number(values.skip);
let number = 0;
let tried = 0;
for (const planted of chosen(count)) {
  number += 1;
  if (!isWanted(number)) continue;
  tried += 1;
  const { file, source, start, end, replacement, operator } = planted;
  const begun = performance.now();
  mutated.write(file, source.slice(0, start) + replacement + source.slice(end));
  const verdict = await trial.run(file, record.testsOf(file, start), { limitMs });
  mutated.write(file, source);
  const seconds = Math.round((performance.now() - begun) / 1000);
  const where = `${file}:${linesOf(planted).line} ${operator}`;
  if (verdict.type === 'caught') {
    console.log(`${number}/${count} caught ${where}, by ${verdict.by} (${seconds} s)`);
    continue;
  }
  const how = verdict.left === 0 ? `all ${verdict.tests} tests` : `${verdict.tests} tests, no time for ${verdict.left}`;
  const line = `missed ${where}: ${how} (${seconds} s)\n${differenceOf(planted)}`;
  console.log(`${number}/${count} ${line}`);
  missed.push(line);
}
const caught = tried - missed.length;
console.log(`\n${missed.join('\n')}\n\nseed ${values.seed}: ${caught} of ${tried} caught, ${missed.length} missed`);
process.exitCode = caught * 100 >= Number(values['at-least']) * tried ? 0 : 1;
