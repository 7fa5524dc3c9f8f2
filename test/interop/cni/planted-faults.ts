import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RealClock } from '../../../src/base/index.ts';
import type { CniSuiteOptions, PluginKind } from '../../../src/conform/cni/cni-options.ts';
import { cniSuite } from '../../../src/conform/cni/cni-suite.ts';
import { plantedFaults } from '../../../src/conform/cni/testdata/planted-faults.ts';
import { runSuite, type SuiteReport } from '../../../src/conform/index.ts';

const BROKEN = join(import.meta.dirname, '..', '..', '..', 'src', 'conform', 'cni', 'testdata', 'broken-plugin.mjs');
const NO_SIGNAL = new AbortController().signal;

/** Runs the whole suite on a plugin without faults and on one for each fault; returns what is not as it must be. */
export async function judgePlantedFaults(print: (line: string) => void): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const kind of ['interface', 'chained', 'ipam'] as const) {
    const failed = failedIn(await judged(kind, []));
    print(`${failed.length === 0 ? 'ok  ' : 'FAIL'} without faults (${kind})`);
    if (failed.length > 0) problems.push(`a plugin without faults (${kind}) breaks ${failed.join(', ')}`);
  }
  for (const { fault, kind, foundBy } of plantedFaults) {
    const failed = failedIn(await judged(kind, [fault]));
    const isFound = failed.includes(foundBy);
    print(`${isFound ? 'ok  ' : 'FAIL'} ${fault} (${kind}): found by ${failed.join(', ')}`);
    if (!isFound) problems.push(`fault "${fault}" (${kind}) is not found by "${foundBy}"`);
  }
  return problems;
}

/** A report about the broken plugin with these faults. */
export async function judged(
  kind: PluginKind,
  faults: readonly string[],
  { only, concurrency = 4 }: { readonly only?: readonly string[]; readonly concurrency?: number } = {},
): Promise<SuiteReport> {
  const state = await mkdtemp(join(tmpdir(), 'keelson-conform-'));
  try {
    const options: CniSuiteOptions = {
      command: [process.execPath, BROKEN, kind, ...faults],
      kind,
      config: { type: 'broken', state },
      cniVersion: undefined,
      pluginPath: '/none',
      ifName: 'eth0',
      stateFolders: [state],
      setup: '',
      concurrency,
      environment: process.env,
    };
    return await runSuite(cniSuite(options), {
      subject: `the broken plugin with ${faults.join(', ') || 'no faults'}`,
      clock: new RealClock(),
      signal: NO_SIGNAL,
      limitMs: 120_000,
      ...(only === undefined ? {} : { isWanted: (name: string) => only.includes(name) }),
    });
  } finally {
    await rm(state, { recursive: true, force: true });
  }
}

export function failedIn({ cases }: SuiteReport): readonly string[] {
  return cases.filter(({ outcome }) => outcome.type === 'failed').map(({ name }) => name);
}
