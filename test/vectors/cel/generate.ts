// npm run vectors:cel: asks Kubernetes' own CEL about all expressions and records the answers. Needs Go.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { SeededRandom } from '../../../src/base/index.ts';
import { publicTests } from '../../cel/public-suite.ts';
import { ExpressionMaker } from './expression-maker.ts';
import { askDeclarations, askGo, askUses, buildOracle, type Question } from './go-oracle.ts';
import { leaves } from './leaves.ts';
import { matrix } from './matrix.ts';
import { misspell } from './misspell.ts';
import { tasks } from './tasks.ts';

const RANDOM_EXPRESSIONS = 2400;
/** Go's maps have no order: answers that depend on it differ between these tries, and are not recorded. */
const TRIES = 8;

const oracle = buildOracle(import.meta.dirname);
if (!oracle.ok) throw new Error(`Cannot record vectors: ${oracle.reason}`);

const written = readFileSync(join(import.meta.dirname, 'corpus.tsv'), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line): Question => {
    const [world = '', expr = ''] = line.split('\t');
    return { world, expr };
  });
const worlds = Object.keys(leaves);
const random = new SeededRandom(36);
const made = Array.from({ length: RANDOM_EXPRESSIONS }, (_, index): Question => {
  const world = worlds[index % worlds.length] as string;
  const expr = new ExpressionMaker(random, leaves[world] ?? {}).make(1 + (index % 3));
  return { world, expr: index % 8 === 7 ? misspell(expr, random) : expr };
});
const known = publicTests
  .filter(({ test: { bindings, typeEnv } }) => bindings === undefined && typeEnv === undefined)
  .map(({ test: { expr } }): Question => ({ world: 'policy', expr }));
const questions = [...written, ...matrix().map((expr): Question => ({ world: 'policy', expr })), ...made, ...known];
const unique = [...new Map(questions.map((question) => [JSON.stringify(question), question])).values()];

const tries: string[][] = [];
for (let attempt = 0; attempt < TRIES; attempt++) {
  tries.push((await askGo(oracle, unique)).map((answer) => JSON.stringify(answer)));
}
const [first = []] = tries;
const steady = first.filter(
  (answer, index) => !answer.includes('"panic"') && tries.every((attempt) => attempt[index] === answer),
);
record('vectors.jsonl.gz', steady);

const outcomes = (await askUses(oracle, tasks)).map((outcome) => JSON.stringify(outcome));
record('uses.jsonl.gz', outcomes);
const declarations = (await askDeclarations(oracle)).map((declaration) => JSON.stringify(declaration));
record('declarations.jsonl.gz', declarations);
console.log(
  `${steady.length} of ${unique.length} expressions ${outcomes.length} uses and ${declarations.length} functions recorded`,
);

function record(name: string, lines: readonly string[]): void {
  writeFileSync(join(import.meta.dirname, name), gzipSync(`${lines.join('\n')}\n`, { level: 9 }));
}
