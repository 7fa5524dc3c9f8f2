import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { KUBERNETES_RELEASES, type KubernetesVersion } from '../../base/index.ts';
import { REPLAY_VARIABLE } from '../replay.ts';
import { startCluster, type StartClusterOptions } from '../start-cluster.ts';
import type { TestCluster } from '../test-cluster.ts';
import { endHookOf, type RunnerHooks } from './runner-hooks.ts';

export interface TestClusterOptions extends StartClusterOptions {
  /** Runs once, before the first test: prepares what all tests of the file need. */
  readonly setup?: (cluster: TestCluster) => Promise<void> | void;
}

/** The body of a test, with its own cluster. `context` is what the test runner passes to tests. */
export type ClusterTestBody = (cluster: TestCluster, ...context: readonly never[]) => unknown;

/** The test runner's signal, which ends the cluster when the test times out. */
function signalIn(context: unknown): { readonly signal?: AbortSignal } {
  const { signal } = (context ?? {}) as { readonly signal?: unknown };
  return signal instanceof AbortSignal ? { signal } : {};
}

/** Wraps a body for the test runner: `test('…', clusterTest(async (cluster) => { … }))`. */
export type ClusterTest = (body: ClusterTestBody) => (...context: readonly unknown[]) => Promise<void>;

/** The tests of one version of Kubernetes. */
export interface VersionTests {
  readonly kubernetesVersion: KubernetesVersion;
  readonly clusterTest: ClusterTest;
}

/** `testCluster`, and the same for several versions of Kubernetes. */
export interface ClusterTester {
  (options?: TestClusterOptions, hooks?: RunnerHooks): ClusterTest;
  /**
   * The same once for each version, for `describe.each` or a loop; default all versions that can be served.
   *
   * Example: `describe.each(testCluster.each(['1.33', '1.37']))('on Kubernetes $kubernetesVersion', ({ clusterTest }) => { … })`.
   */
  each(
    versions?: readonly KubernetesVersion[],
    options?: Omit<TestClusterOptions, 'kubernetesVersion'>,
    hooks?: RunnerHooks,
  ): readonly VersionTests[];
}

/** The environment variable with the folder for traces of failed tests. */
const TRACE_VARIABLE = 'KEELSON_TRACE';

/**
 * Gives each test of a file its own cluster, in vitest, jest and node:test: starts one and sets it up before the first
 * test, forks it for each test, and stops the fork after the test. A failed test prints how to repeat its run.
 *
 * If the runner's hooks are not global, pass them: `testCluster({}, { afterAll })`.
 */
export const testCluster: ClusterTester = Object.assign(testsOf, { each: testsOfEach });

function testsOfEach(
  versions: readonly KubernetesVersion[] = Object.keys(KUBERNETES_RELEASES) as KubernetesVersion[],
  options: Omit<TestClusterOptions, 'kubernetesVersion'> = {},
  hooks?: RunnerHooks,
): readonly VersionTests[] {
  return versions.map((kubernetesVersion) => ({
    kubernetesVersion,
    clusterTest: testsOf({ ...options, kubernetesVersion }, hooks),
  }));
}

function testsOf(options: TestClusterOptions = {}, hooks?: RunnerHooks): ClusterTest {
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
    const cluster = await starting?.catch(() => undefined); // each test has reported the failure
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

/** Describes a failed test's run: how to repeat it, its problems and its trace. */
async function tell(cluster: TestCluster, folder: string | undefined): Promise<string> {
  const [seed = ''] = cluster.replay.split('@');
  const again = `To repeat the run of the test that has failed, set ${REPLAY_VARIABLE}='${cluster.replay}'\n`;
  const problems = cluster.problems.slice(0, 5).map((problem) => `  ${problem}\n`);
  const logged = problems.length === 0 ? '' : `Problems of its cluster:\n${problems.join('')}`;
  if (folder === undefined) return again + logged;
  await mkdir(folder, { recursive: true });
  const path = join(folder, `trace-${seed.replaceAll(/[^\w-]/g, '_')}-${cluster.requests().length}`);
  const { svg, text } = cluster.trace();
  await writeFile(`${path}.svg`, svg);
  await writeFile(`${path}.txt`, text);
  return `${again}${logged}What happened in it: ${path}.svg, ${path}.txt\n`;
}
