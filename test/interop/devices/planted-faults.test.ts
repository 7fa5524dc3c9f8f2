import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RealClock } from '../../../src/base/index.ts';
import { runSuite, type SuiteReport } from '../../../src/conform/index.ts';
import { devicePluginSuite } from '../../../src/conform/device-plugin/device-plugin-suite.ts';
import { plantedFaults } from './planted-faults.ts';

let folder: string;
let plugin: string;
let kitPlugin: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keelson-conform-devices-'));
  plugin = join(folder, 'planted.mjs');
  kitPlugin = join(folder, 'kit.mjs');
  const bundled = { bundle: true, platform: 'node', format: 'esm', target: 'node20', logLevel: 'warning' } as const;
  await build({
    ...bundled,
    entryPoints: [join(import.meta.dirname, 'planted-plugin.ts')],
    outfile: plugin,
  });
  await build({
    ...bundled,
    entryPoints: [join(import.meta.dirname, 'kit-plugin.ts')],
    outfile: kitPlugin,
  });
});

afterAll(() => rm(folder, { recursive: true }));

async function judged(
  command: readonly string[],
  { only, withinMs = 20_000 }: { readonly only?: string; readonly withinMs?: number } = {},
): Promise<SuiteReport> {
  const sockets = join(await mkdtemp(join(tmpdir(), 'kdp-')), 'device-plugins');
  const suite = devicePluginSuite({
    command: [process.execPath, ...command.map((part) => part.replaceAll('{folder}', sockets))],
    folder: sockets,
    withinMs,
    breakDevice: `touch ${sockets}/broken`,
    repairDevice: `rm ${sockets}/broken`,
    environment: process.env,
  });
  const report = await runSuite(suite, {
    subject: command.join(' '),
    clock: new RealClock(),
    signal: new AbortController().signal,
    limitMs: 60_000,
    isWanted: (name) => only === undefined || name === only,
  });
  await rm(join(sockets, '..'), { recursive: true, force: true });
  return report;
}

const failures = ({ cases }: SuiteReport): readonly string[] =>
  cases.flatMap(({ name, outcome }) => (outcome.type === 'passed' ? [] : [`${name}: ${outcome.message}`]));

test('a plugin that keeps all rules passes', async () => {
  expect(failures(await judged([plugin, '{dir}']))).toEqual([]);
});

test('a plugin of the kit passes', async () => {
  expect(failures(await judged([kitPlugin, '{root}', '{dir}']))).toEqual([]);
});

test.concurrent.each(plantedFaults)('the fault %s is found by the case %s', async (fault, foundBy) => {
  const report = await judged([plugin, '{dir}', fault], {
    only: foundBy,
    withinMs: foundBy === 'kubelet-late' ? 5000 : 1500,
  });
  expect(report.cases.map(({ name, outcome }) => [name, outcome.type])).toEqual([[foundBy, 'failed']]);
});
