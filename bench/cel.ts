// npm run bench:cel [-- ROUNDS]: compiling and evaluating typical rules, beside Kubernetes' own CEL in the same run. Needs Go.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Program } from '../src/cel/index.ts';
import { buildOracle, type Timing, timeGo } from '../test/vectors/cel/go-oracle.ts';
import { readWorlds, type World } from '../test/vectors/cel/worlds.ts';
import { measureLoading } from './cel/loading.ts';
import { type Rule, rules } from './cel/rules.ts';

const COMPILE_MS = 300;
const EVALUATE_MS = 500;
/** A server that has compiled some rules has come to full speed. */
const WARM_UPS = 1000;
const COST_LIMIT = 1_000_000;

const rounds = Number(process.argv[2] ?? 3);
const oracle = buildOracle(join(import.meta.dirname, '../test/vectors/cel'));
if (!oracle.ok) throw new Error(`Cannot measure: ${oracle.reason}`);
const worldsPath = join(import.meta.dirname, 'cel/worlds.json');
const worlds = readWorlds(readFileSync(worldsPath, 'utf8'));

for (let i = 0; i < WARM_UPS; i += 1) for (const rule of rules) programOf(rule, worlds.get(rule.world) as World);
const ours: Timing[][] = [];
const theirs: Timing[][] = [];
for (let round = 0; round < rounds; round += 1) {
  theirs.push(await timeGo(oracle, worldsPath, rules));
  ours.push(rules.map((rule) => time(rule, worlds.get(rule.world) as World)));
}
report();
const { emptyMs, importMs, heapMb, firstMs, secondMs } = await measureLoading(
  join(import.meta.dirname, '../src/cel/index.ts'),
  9,
);
console.log(
  `\nimport ${importMs.toFixed(1)} ms of processor time (an empty module ${emptyMs.toFixed(1)} ms), ${heapMb.toFixed(1)} MB; ` +
    `first expression ${firstMs.toFixed(1)} ms, the next one ${secondMs.toFixed(1)} ms`,
);

function programOf({ expr }: Rule, { environment }: World): Program {
  const compiled = environment.compile(expr);
  if (!compiled.ok) throw new Error(compiled.issues.toString());
  return compiled.expression.program({ costLimit: COST_LIMIT });
}

function time(rule: Rule, world: World): Timing {
  const program = programOf(rule, world);
  const evaluate = (): void => {
    const result = program.evaluate(world.bindings);
    if (!result.ok) throw new Error(result.error);
  };
  return { compileNs: perRun(() => programOf(rule, world), COMPILE_MS), evalNs: perRun(evaluate, EVALUATE_MS) };
}

/** Processor time of one run in nanoseconds, that of the garbage collector's threads included. */
function perRun(action: () => unknown, budgetMs: number): number {
  const batch = batchFor(action);
  let runs = 0;
  const start = process.cpuUsage();
  const end = performance.now() + budgetMs;
  while (performance.now() < end) {
    for (let i = 0; i < batch; i += 1) action();
    runs += batch;
  }
  const { user, system } = process.cpuUsage(start);
  return ((user + system) * 1000) / runs;
}

/** Warms up, and finds out how many runs take about a millisecond, so that looking at the clock does not count. */
function batchFor(action: () => unknown): number {
  let batch = 1;
  for (;;) {
    const start = performance.now();
    for (let i = 0; i < batch; i += 1) action();
    if (performance.now() - start >= 1) return batch;
    batch *= 2;
  }
}

function report(): void {
  const median = (all: readonly Timing[][], at: number, key: keyof Timing): number => {
    const sorted = all.map((round) => (round[at] as Timing)[key]).sort((a, b) => a - b);
    return sorted[Math.floor(sorted.length / 2)] as number;
  };
  console.log('| rule | evaluate, keelson | cel-go | ratio | compile, keelson | cel-go | ratio |');
  console.log('|---|---|---|---|---|---|---|');
  const ratios: { readonly evalNs: number; readonly compileNs: number }[] = [];
  for (const [at, { what }] of rules.entries()) {
    const cells = (['evalNs', 'compileNs'] as const).map((key) => {
      const [us, them] = [median(ours, at, key), median(theirs, at, key)];
      return { us, them, ratio: them / us };
    });
    const [evaluation, compilation] = cells as [(typeof cells)[0], (typeof cells)[0]];
    ratios.push({ evalNs: evaluation.ratio, compileNs: compilation.ratio });
    const shown = cells.map(({ us, them, ratio }) => `${format(us)} | ${format(them)} | ${ratio.toFixed(1)}×`);
    console.log(`| ${what} | ${shown.join(' | ')} |`);
  }
  const mean = (key: keyof Timing): string =>
    `${Math.exp(ratios.reduce((sum, each) => sum + Math.log(each[key]), 0) / ratios.length).toFixed(1)}×`;
  console.log(`| **geometric mean** | | | **${mean('evalNs')}** | | | **${mean('compileNs')}** |`);
}

function format(ns: number): string {
  return ns < 1000 ? `${ns.toFixed(0)} ns` : `${(ns / 1000).toFixed(ns < 10_000 ? 2 : 1)} µs`;
}
