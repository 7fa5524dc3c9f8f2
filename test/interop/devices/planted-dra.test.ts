import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RealClock } from '../../../src/base/index.ts';
import { openConformCluster } from '../../../src/cli/conform-cluster.ts';
import { draSuite } from '../../../src/conform/dra/dra-suite.ts';
import { runSuite, type SuiteReport } from '../../../src/conform/index.ts';
import { plantedDraFaults } from './planted-dra-faults.ts';

let folder: string;
let planted: string;
let kit: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keelson-conform-dra-'));
  [planted = '', kit = ''] = await Promise.all(
    ['planted-dra', 'kit-dra'].map(async (name) => {
      const outfile = join(folder, `${name}.mjs`);
      await build({
        ...{ bundle: true, platform: 'node', format: 'esm', target: 'node20', logLevel: 'warning', outfile },
        entryPoints: [join(import.meta.dirname, `${name}.ts`)],
        banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
      });
      return outfile;
    }),
  );
});

afterAll(() => rm(folder, { recursive: true }));

async function judged(
  command: readonly string[],
  { only, withinMs = 20_000 }: { readonly only?: string; readonly withinMs?: number } = {},
): Promise<SuiteReport> {
  const suite = draSuite({
    command: [process.execPath, ...command],
    withinMs,
    breakDevice: 'touch "$KUBELET_DIR/broken"',
    repairDevice: 'rm "$KUBELET_DIR/broken"',
    environment: process.env,
    openCluster: openConformCluster,
  });
  return await runSuite(suite, {
    subject: command.join(' '),
    clock: new RealClock(),
    signal: new AbortController().signal,
    limitMs: 60_000,
    isWanted: (name) => only === undefined || name === only,
  });
}

const failures = ({ cases }: SuiteReport): readonly string[] =>
  cases.flatMap(({ name, outcome }) => (outcome.type === 'passed' ? [] : [`${name}: ${outcome.message}`]));

test.concurrent('a driver that keeps all rules passes', async () => {
  expect(existsSync(planted)).toBe(true);
  expect(failures(await judged([planted, '{root}']))).toEqual([]);
});

test.concurrent('a driver of the kit passes', async () => {
  expect(failures(await judged([kit, '{root}']))).toEqual([]);
});

test.concurrent.each(plantedDraFaults)('the fault %s is found by the case %s', async (fault, foundBy) => {
  const report = await judged([planted, '{root}', fault], { only: foundBy, withinMs: 4000 });
  expect(report.cases.map(({ name, outcome }) => [name, outcome.type])).toEqual([[foundBy, 'failed']]);
});
