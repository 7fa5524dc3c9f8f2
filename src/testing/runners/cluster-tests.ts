import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { REPLAY_VARIABLE } from '../replay.ts';
import { startCluster, type StartClusterOptions } from '../start-cluster.ts';
import type { TestCluster } from '../test-cluster.ts';
import { endHookOf, type RunnerHooks } from './runner-hooks.ts';

export interface TestClusterOptions extends StartClusterOptions {
  /** Done once, before the first test: what all tests of the file need. */
  readonly setup?: (cluster: TestCluster) => Promise<void> | void;
}

/** The body of a test, with a cluster of its own. The rest is what the test runner hands to tests. */
export type ClusterTestBody = (cluster: TestCluster, ...context: readonly never[]) => unknown;

/** The signal that the test runner gives to a test, for the cluster to end when the test runs out of time. */
function signalIn(context: unknown): { readonly signal?: AbortSignal } {
  const { signal } = (context ?? {}) as { readonly signal?: unknown };
  return signal instanceof AbortSignal ? { signal } : {};
}

/** Makes a test of a body, for `test('…', clusterTest(async (cluster) => { … }))`. */
export type ClusterTest = (body: ClusterTestBody) => (...context: readonly unknown[]) => Promise<void>;

/** The variable of the environment with the folder for pictures of what happened in tests that have failed. */
const TRACE_VARIABLE = 'KEELSON_TRACE';

/**
 * A cluster for each test of a file, in vitest, jest and node:test alike: one is started and set up before the first test, and
 * each test has a copy of it, which is ended with the test. A test that fails says how to repeat its run.
 *
 * Runners whose hooks are not global hand them over: `testCluster({}, { afterAll })`.
 */
export function testCluster(options: TestClusterOptions = {}, hooks?: RunnerHooks): ClusterTest {
  const { setup, ...own } = options;
  const folder = process.env[TRACE_VARIABLE];
  const isTraced = folder !== undefined && folder !== '';
  let starting: Promise<TestCluster> | undefined;
  const start = async (): Promise<TestCluster> => {
    const cluster = await startCluster(isTraced ? { ...own, trace: true } : own);
    try {
      await setup?.(cluster);
      return cluster;
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  };
  const end = async (): Promise<void> => {
    const cluster = await starting?.catch(() => undefined); // each test has been told of that
    await cluster?.stop();
  };
  endHookOf(hooks, process.env)(end);
  return (body) =>
    async (...context) => {
      starting ??= start();
      await using cluster = await (await starting).fork(signalIn(context[0]));
      try {
        await body(cluster, ...(context as readonly never[]));
      } catch (error) {
        process.stderr.write(await tell(cluster, isTraced ? folder : undefined));
        throw error;
      }
    };
}

/** What helps to find out why a test has failed. */
async function tell(cluster: TestCluster, folder: string | undefined): Promise<string> {
  const [seed = ''] = cluster.replay.split('@');
  const again = `To repeat the run of the test that has failed, set ${REPLAY_VARIABLE}='${cluster.replay}'\n`;
  const problems = cluster.problems.slice(0, 5).map((problem) => `  ${problem}\n`);
  const told = problems.length === 0 ? '' : `Problems of its cluster:\n${problems.join('')}`;
  if (folder === undefined) return again + told;
  await mkdir(folder, { recursive: true });
  const path = join(folder, `trace-${seed.replaceAll(/[^\w-]/g, '_')}-${cluster.requests().length}`);
  const { svg, text } = cluster.trace();
  await writeFile(`${path}.svg`, svg);
  await writeFile(`${path}.txt`, text);
  return `${again}${told}What happened in it: ${path}.svg, ${path}.txt\n`;
}
