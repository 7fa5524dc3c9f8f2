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
import { hasLoopDevices, isRoot } from './loop-devices.ts';

const root = join(import.meta.dirname, '..', '..', '..');
let folder: string;

/** Faults of a driver that is a program, and is killed. */
const programFaults = [
  { fault: 'forgets', foundBy: 'restart-keeps', needsRoot: false },
  { fault: 'stale-socket', foundBy: 'killed-create', needsRoot: false },
  { fault: 'dies', foundBy: 'create-again', needsRoot: false },
  { fault: 'deletes-its-own', foundBy: 'killed-delete', needsRoot: false },
  { fault: 'forgets-mounts', foundBy: 'restart-unpublish', needsRoot: true },
  { fault: 'mounts-twice-after-start', foundBy: 'killed-publish', needsRoot: true },
];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keelson-csi-faults-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function optionsOf(driver: CsiSuiteOptions['driver'], stateFolders: readonly string[]): CsiSuiteOptions {
  return {
    driver,
    parameters: new Map(),
    mutableParameters: new Map([['iops', 'many']]),
    secrets: new Map(),
    bytes: 64 * 1024 ** 2,
    concurrency: 5,
    stateFolders,
    canMount: isRoot,
    environment: process.env,
  };
}

async function judge(
  driver: CsiSuiteOptions['driver'],
  { only, stateFolders = [] }: { readonly only?: string; readonly stateFolders?: readonly string[] } = {},
): Promise<SuiteReport> {
  const suite = csiSuite(optionsOf(driver, stateFolders));
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
  expect(report.cases.filter(({ outcome }) => outcome.type === 'passed').length).toBeGreaterThan(isRoot ? 56 : 44);
});

for (const [fault, planted] of Object.entries(plantedFaults))
  test(
    `the fault ${fault} is found by ${planted.foundBy}`,
    {
      ...skipWhen(planted.needsRoot === true && !isRoot, 'mounts need root'),
      ...skipWhen(planted.needsLoop === true && !hasLoopDevices, 'block volumes need loop devices'),
    },
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

for (const { fault, foundBy, needsRoot } of programFaults)
  test(
    `the fault ${fault} of a program is found by ${foundBy}`,
    { ...skipWhen(needsRoot && !isRoot, 'mounts need root'), timeout: 240_000 },
    async () => {
      const place = await mkdtemp(join(folder, 'd-'));
      const program = await bundlePlugin(join(import.meta.dirname, 'faulty-program.ts'), join(folder, 'faulty.cjs'));
      const command = [process.execPath, program, place, '{socket}', fault];
      const report = await judge({ type: 'command', command }, { only: foundBy });
      expect(report.cases.map(({ outcome }) => outcome.type)).toEqual(['failed']);
    },
  );

test('every rule has a planted fault that finds it', () => {
  const found = new Set([...Object.values(plantedFaults), ...programFaults].map(({ foundBy }) => foundBy));
  const { cases } = csiSuite(optionsOf({ type: 'endpoint', endpoint: '' }, []));
  expect(cases.map(({ name }) => name).filter((name) => !found.has(name))).toEqual([]);
});
