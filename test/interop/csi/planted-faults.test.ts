import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RealClock } from '../../../src/base/index.ts';
import { skipWhen } from '../../../src/base/testing/requires.ts';
import { runSuite, type SuiteReport } from '../../../src/conform/index.ts';
import { csiSuite } from '../../../src/conform/csi/csi-suite.ts';
import type { CsiSuiteOptions } from '../../../src/conform/csi/csi-options.ts';
import { bundlePlugin } from '../../support/bundle-plugin.ts';
import { plantedFaults, serveFaulty } from './faulty-driver.ts';

const isRoot = process.platform === 'linux' && process.getuid?.() === 0;
const root = join(import.meta.dirname, '..', '..', '..');
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keelson-csi-faults-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function judge(
  driver: CsiSuiteOptions['driver'],
  { only, stateFolders = [] }: { readonly only?: string; readonly stateFolders?: readonly string[] } = {},
): Promise<SuiteReport> {
  const suite = csiSuite({
    driver,
    parameters: new Map(),
    secrets: new Map(),
    bytes: 1024 ** 3,
    concurrency: 5,
    stateFolders,
    canMount: isRoot,
    environment: process.env,
  });
  return await runSuite(suite, {
    subject: 'driver',
    clock: new RealClock(),
    signal: new AbortController().signal,
    limitMs: 60_000,
    ...(only === undefined ? {} : { isWanted: (name) => name === only }),
  });
}

function failuresOf({ cases }: SuiteReport): readonly string[] {
  return cases.flatMap(({ name, outcome }) => (outcome.type === 'failed' ? [`${name}: ${outcome.message}`] : []));
}

test('a driver of the kit with all functions keeps every rule', async () => {
  const place = await mkdtemp(join(folder, 'd-'));
  await using driver = await serveFaulty(place, undefined);
  const report = await judge({ type: 'endpoint', endpoint: driver.endpoint }, { stateFolders: [join(place, 'data')] });
  expect(failuresOf(report)).toEqual([]);
  expect(report.cases.filter(({ outcome }) => outcome.type === 'passed').length).toBeGreaterThan(isRoot ? 38 : 28);
}, 120_000);

for (const [fault, planted] of Object.entries(plantedFaults))
  test(
    `the fault ${fault} is found by ${planted.foundBy}`,
    { ...skipWhen(planted.needsRoot === true && !isRoot, 'mounts need root'), timeout: 120_000 },
    async () => {
      const place = await mkdtemp(join(folder, 'd-'));
      await using driver = await serveFaulty(place, planted);
      const options = { only: planted.foundBy, stateFolders: [join(place, 'data')] };
      const report = await judge({ type: 'endpoint', endpoint: driver.endpoint }, options);
      expect(report.cases.map(({ outcome }) => outcome.type)).toEqual(['failed']);
    },
  );

test('the example driver, as a program that is killed again and again, keeps every rule', async () => {
  const place = await mkdtemp(join(folder, 'd-'));
  const program = await bundlePlugin(join(root, 'examples/csi-directory/main.ts'), join(folder, 'directory.mjs'));
  const command = [process.execPath, program, join(place, 'volumes'), '{socket}'];
  const report = await judge({ type: 'command', command }, { stateFolders: [place] });
  expect(failuresOf(report)).toEqual([]);
}, 240_000);

test.each([
  ['forgets', 'restart-keeps'],
  ['stale-socket', 'killed-create'],
  ['dies', 'create-again'],
])(
  'the fault %s of a program is found by %s',
  async (fault, only) => {
    const place = await mkdtemp(join(folder, 'd-'));
    const program = await bundlePlugin(join(import.meta.dirname, 'faulty-program.ts'), join(folder, 'faulty.cjs'));
    const command = [process.execPath, program, place, '{socket}', fault];
    const report = await judge({ type: 'command', command }, { only });
    expect(report.cases.map(({ outcome }) => outcome.type)).toEqual(['failed']);
  },
  240_000,
);
