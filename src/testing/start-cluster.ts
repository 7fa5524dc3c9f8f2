import { parseRuntimeConfig } from '../api/index.ts';
import {
  type Clock,
  type Duration,
  formatWithStack,
  isKubernetesVersion,
  KUBERNETES_RELEASES,
  type KubernetesVersion,
  LineLogger,
  type Logger,
  type LogLevel,
  millisecondsOf,
  RealClock,
  SeededRandom,
} from '../base/index.ts';
import { type ClusterOptions, launchCluster, type Resource, type WorkloadOptions } from '../cluster/index.ts';
import { type App, type DefinedKind, isDefinedKind } from '../kit/index.ts';
import { askedApps, inOrderOfAsking } from './asked-apps.ts';
import { ClusterTemplates, type TemplateOptions } from './cluster-templates.ts';
import { InProcessApis } from './in-process-apis.ts';
import { InProcessWebhooks } from './in-process-webhooks.ts';
import { ObservedResources } from './observed-resources.ts';
import { wiringOf } from './cluster-wiring.ts';
import { replayOf } from './replay.ts';
import { groupedOptions, type ServerExtensions } from './server-extensions.ts';
import { TestCluster } from './test-cluster.ts';
import { type ClusterSnapshot, plainOptions, storedContents } from './snapshot/cluster-snapshot.ts';
import { openKeys } from './snapshot/open-keys.ts';
import { TestWire } from './test-wire.ts';
import { TestWorld } from './test-world.ts';

export interface StartClusterOptions extends WorkloadOptions, Omit<ServerExtensions, 'resources'> {
  /** Kinds made with `resource`, which are installed, and server resources written in code. */
  readonly resources?: readonly (DefinedKind | Resource)[];
  /**
   * Apps that run from the start, as with `cluster.run`. Their servers may also authenticate tokens and authorize
   * requests of the cluster.
   */
  readonly apps?: readonly App[];
  /** Where virtual time begins; default now. */
  readonly startAt?: Date | string;
  /**
   * The same seed gives the same names, uids, choices and order; default random. `cluster.replay` contains it.
   */
  readonly seed?: string;
  /** Reorders requests by the seed, to find code that depends on their order; default false. */
  readonly interleave?: boolean;
  /** Records causes and effects for `cluster.trace()`; default false. */
  readonly trace?: boolean;
  /** The version of Kubernetes whose API is served: `1.33` to `1.37`; default `1.36`. */
  readonly kubernetesVersion?: KubernetesVersion;
  /** API versions to serve besides the default ones, as `--runtime-config` takes them: `api/all=true`. */
  readonly runtimeConfig?: readonly string[];
  /** The level of logs on standard error; default no logs. Warnings and errors are always kept in `problems`. */
  readonly logLevel?: LogLevel;
  /**
   * The longest real time that a reconcile may take, for example for network requests or files; virtual time stands
   * still meanwhile. Default 30s.
   */
  readonly reconcileTimeout?: Duration;
  /**
   * Ends the cluster when it aborts, even during `advance` and `settle`, which then reject. Pass the test's signal, so
   * that a test that times out stops. Example: `test('…', async ({ signal }) => { await using cluster = await
   * startCluster({ signal }); … })`.
   */
  readonly signal?: AbortSignal;
  /** Wraps the transports of the cluster's programs, for example with a `FaultyTransport`. */
  readonly wrapTransport?: ClusterOptions['wrapTransport'];
}

/** Templates are made at first use and stay valid while the process runs. */
const templates = new ClusterTemplates();

const COUNT_ON_CONTROLLERS = ['ServiceAccount', 'TaintNodesByCondition', 'StorageObjectInUseProtection'];

const RECONCILE_TIMEOUT_MS = 30_000;

/** Maximum virtual time in which a cluster with `wrapTransport` settles at its start. */
const HARD_START_MS = 10 * 60_000;

/** Only the first problems are kept: they show the origin. */
const MAX_PROBLEMS = 1000;

/** The number of requests kept for `requests()`. */
const MAX_REQUESTS = 1000;

/**
 * Starts a cluster in this process: the API server over a store in memory, controllers, scheduler and a simulated node.
 *
 * The cluster runs in virtual time and opens no port until `kubeconfig()` is called. Resolves when the node is ready
 * and nothing is left to do.
 *
 * Example: `await using cluster = await startCluster();`
 */
export function startCluster(options: StartClusterOptions = {}): Promise<TestCluster> {
  return startFrom(options);
}

/** For `openCluster`: the same, from a snapshot. */
export async function startFrom(options: StartClusterOptions, snapshot?: ClusterSnapshot): Promise<TestCluster> {
  const {
    interleave = false,
    trace = false,
    kubernetesVersion,
    runtimeConfig,
    admission,
    logLevel,
    reconcileTimeout = RECONCILE_TIMEOUT_MS,
    wrapTransport,
    resources = [],
    apps = [],
    seed: _seed,
    startAt: _startAt,
    signal,
    ...workload
  } = options;
  const coded = resources.filter((resource) => !isDefinedKind(resource));
  const made = {
    ...workload,
    kubernetesVersion,
    runtimeConfig,
    admission,
    ...(coded.length === 0 ? {} : { resources: coded }),
  };
  const { seed, startAt } =
    snapshot === undefined
      ? replayOf(options, process.env)
      : { seed: snapshot.seed, startAt: new Date(snapshot.takenAtMs) };
  const observed = new ObservedResources({ isWrapped: wrapTransport !== undefined });
  const world = new TestWorld({
    startMs: startOf(startAt),
    observed,
    reconcileTimeoutMs: millisecondsOf(reconcileTimeout),
    signal,
  });
  const { clock } = world;
  const stop = new AbortController();
  const problems: string[] = [];
  const startMs = clock.now();
  const random = snapshot === undefined ? new SeededRandom(seed) : SeededRandom.resumed(snapshot.random);
  const keys = snapshot === undefined ? undefined : await openKeys(snapshot.keys);
  const log = problemLog(clock, problems, logLevel);
  const webhooks = new InProcessWebhooks();
  const apis = new InProcessApis();
  const { tracker } = world;
  const wire = new TestWire({ clock, tracker, seed, isTraced: trace, isInterleaved: interleave });
  const wiring = { webhooks, apis, wire, wrapTransport };
  const { others, stored, ...groups } = groupedOptions({
    ...workload,
    ...askedApps(apps, workload),
    resources: resources.filter((resource): resource is Resource => !isDefinedKind(resource)),
    admission: { disable: workload.controllers === false ? COUNT_ON_CONTROLLERS : [], ...admission },
  });
  const whole: TemplateOptions = {
    ...others,
    ...groups,
    name: 'test',
    tracing: { tracedRequests: MAX_REQUESTS },
    ...(trace ? { isAlwaysAwake: true } : {}), // a program that wakes up later cannot see the causes of changes
    storage: { ...stored, type: 'memory', ...(snapshot === undefined ? {} : { contents: storedContents(snapshot) }) },
    ...(keys === undefined ? {} : { serving: { pkiFolder: keys.folder } }),
    ...(kubernetesVersion === undefined ? {} : { kubernetesVersion: served(kubernetesVersion) }),
    runtimeConfig: parseRuntimeConfig(...(runtimeConfig ?? [])),
    serviceCidrs: ['10.96.0.0/16'],
    ...(wrapTransport === undefined ? {} : { wrapTransport }),
  };
  const own = {
    ...wiringOf(wiring),
    clock,
    random,
    log,
    signal: stop.signal,
  };
  const template = snapshot === undefined ? await templates.of(whole) : undefined;
  const cluster =
    template?.start(own) ?? (await launchCluster({ ...whole, ...own, certificateClock: new RealClock() }));
  const started = new TestCluster(cluster, {
    world,
    startMs,
    random,
    log,
    stop,
    problems,
    keys,
    made: plainOptions(made),
    ...wiring,
  });
  try {
    await started.settle(wrapTransport === undefined ? {} : { retriesWithin: HARD_START_MS });
    for (const app of inOrderOfAsking(apps)) await started.run(app);
    await started.install(...resources.filter(isDefinedKind));
    wire.recorder?.clear(); // the trace leaves out the start
    return started;
  } catch (error) {
    await started[Symbol.asyncDispose]();
    throw error;
  }
}

/** The version that was asked for, by programs without types too. */
function served(version: string): KubernetesVersion {
  if (isKubernetesVersion(version)) return version;
  const known = Object.keys(KUBERNETES_RELEASES).join(', ');
  throw new Error(`Cannot start a cluster of Kubernetes ${JSON.stringify(version)}: the versions are ${known}`);
}

function startOf(startAt: Date | string | undefined): number {
  if (startAt === undefined) return new RealClock().now();
  const ms = new Date(startAt).getTime();
  if (Number.isNaN(ms)) throw new Error(`Cannot start at "${String(startAt)}": it is not a time`);
  return ms;
}

function problemLog(clock: Clock, problems: string[], level: LogLevel | undefined): Logger {
  return new LineLogger({
    clock,
    level: level ?? 'warn',
    format: formatWithStack,
    write: (line) => {
      if (problems.length < MAX_PROBLEMS) problems.push(line.trimEnd());
      if (level !== undefined) process.stderr.write(line);
    },
  });
}
