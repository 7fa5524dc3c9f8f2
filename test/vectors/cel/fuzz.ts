// npm run fuzz:cel [-- SECONDS [SEED]]: random expressions, evaluated by us and by Go, until the time is over.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SeededRandom } from '../../../src/base/index.ts';
import { compareAnswers } from './compare.ts';
import { ExpressionMaker } from './expression-maker.ts';
import { askGo, buildOracle, type Question } from './go-oracle.ts';
import { leaves } from './leaves.ts';
import { misspell } from './misspell.ts';
import { type Answer, ask, readWorlds } from './worlds.ts';

const [seconds = '60', seed = '1', shown = '25'] = process.argv.slice(2);
const BATCH = 2000;
const TRIES = 20;
const oracle = buildOracle(import.meta.dirname);
if (!oracle.ok) {
  console.log(`fuzz: skipped, ${oracle.reason}`);
  process.exit(0);
}
const worlds = readWorlds(readFileSync(join(import.meta.dirname, 'worlds.json'), 'utf8'));
const kinds = Object.entries(leaves);
const random = new SeededRandom(Number(seed));
const end = Date.now() + Number(seconds) * 1000;
const totals = { expressions: 0, refused: 0, failed: 0, different: 0, slowestMs: 0 };
const explained = new Map<string, number>();
const explain = (reason: string): unknown => explained.set(reason, (explained.get(reason) ?? 0) + 1);
do {
  const questions = Array.from({ length: BATCH }, (): Question => {
    const [world, variables] = kinds[random.int(kinds.length)] as (typeof kinds)[number];
    const expr = new ExpressionMaker(random, variables).make(1 + random.int(4));
    return { world, expr: random.int(5) === 0 ? misspell(expr, random) : expr };
  });
  const answers = await askGo(oracle, questions);
  const suspects: { readonly ours: Answer; readonly text: string }[] = [];
  for (const theirs of answers) {
    const start = performance.now();
    const ours = answer(theirs);
    totals.slowestMs = Math.max(totals.slowestMs, Math.round(performance.now() - start));
    totals.expressions += 1;
    if (theirs.issues !== undefined || theirs.refused !== undefined) totals.refused += 1;
    if (theirs.error !== undefined) totals.failed += 1;
    const difference = compareAnswers(ours, theirs);
    if (difference === undefined) continue;
    if (difference.explanation !== undefined) {
      explain(difference.explanation);
      continue;
    }
    suspects.push({ ours, text: difference.text });
  }
  // Go's maps have no order: what depends on it comes out differently each time, and once as ours.
  const repeated = suspects.flatMap(({ ours: { world, expr } }) =>
    Array.from({ length: TRIES }, () => ({ world, expr })),
  );
  const again = repeated.length === 0 ? [] : await askGo(oracle, repeated);
  for (const [index, { ours, text }] of suspects.entries()) {
    const tries = again.slice(index * TRIES, (index + 1) * TRIES);
    if (
      tries.some((theirs) => compareAnswers(ours, theirs) === undefined) ||
      new Set(tries.map((each) => JSON.stringify(each))).size > 1
    ) {
      explain('maps have no order in Go');
      continue;
    }
    totals.different += 1;
    if (totals.different <= Number(shown)) console.log(`[${ours.world}] ${ours.expr}\n${text}`);
  }
} while (Date.now() < end);
console.log(totals, Object.fromEntries(explained));
process.exit(totals.different === 0 ? 0 : 1);

function answer({ world, expr }: Question): Answer {
  try {
    return ask(worlds, world, expr);
  } catch (error) {
    return { world, expr, error: `CRASH: ${(error as Error).stack}` };
  }
}
