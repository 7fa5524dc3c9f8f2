import { parseRuntimeConfig } from '../api/index.ts';
import {
  type Clock,
  type Duration,
  formatWithStack,
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
  /** Kinds made with `resource`, which are installed, and resources that the server is given in code. */
  readonly resources?: readonly (DefinedKind | Resource)[];
  /**
   * Apps that run in it from the start, as with `cluster.run`. The cluster asks them also whose tokens are and what somebody may do,
   * where they have a server that says so.
   */
  readonly apps?: readonly App[];
  /** Where virtual time begins; default now. */
  readonly startAt?: Date | string;
  /**
   * The same seed leads to the same names, uids, choices and order; default chance decides, and `cluster.replay` tells what it
   * has decided.
   */
  readonly seed?: string;
  /** Lets requests overtake each other by the seed, to find what depends on their order; default they are done in order. */
  readonly interleave?: boolean;
  /** Notes what leads to what, for `cluster.trace()`; default not. */
  readonly trace?: boolean;
  /** API versions to serve besides the default ones, as `--runtime-config` takes them: `api/all=true`. */
  readonly runtimeConfig?: readonly string[];
  /** What is logged to the standard error, at which level; default nothing. What fails is kept in `problems` anyway. */
  readonly logLevel?: LogLevel;
  /**
   * How long a reconcile may take in real time, while virtual time stands still for it: for those that ask the network or read
   * files. Default 30s.
   */
  readonly reconcileTimeout?: Duration;
  /**
   * Ends the cluster when it aborts, also in the middle of `advance` and `settle`, which then reject: the signal of the test, for one
   * that runs out of time to stop. Example: `test('…', async ({ signal }) => { await using cluster = await startCluster({ signal }); … })`.
   */
  readonly signal?: AbortSignal;
  /** Between the cluster's own programs and its server, such as a `FaultyTransport`. */
  readonly wrapTransport?: ClusterOptions['wrapTransport'];
}

/** Made when they are first asked for, and good for as long as the process runs: nothing that they are made of changes meanwhile. */
const templates = new ClusterTemplates();

const COUNT_ON_CONTROLLERS = ['ServiceAccount', 'TaintNodesByCondition', 'StorageObjectInUseProtection'];

const RECONCILE_TIMEOUT_MS = 30_000;

/** A cluster between whose programs and server a test puts something may take so long to come to rest, of its own time. */
const HARD_START_MS = 10 * 60_000;

/** The first so many are kept: they tell what began it. */
const MAX_PROBLEMS = 1000;

/** So many are kept for `requests()`. */
const MAX_REQUESTS = 1000;

/**
 * Starts a cluster in this process: the API server over a store in memory, controllers, scheduler and a simulated node.
 *
 * It goes by virtual time, and no port is opened unless `kubeconfig()` is asked for. It resolves when the node is ready and
 * nothing is left to do.
 *
 * Example: `await using cluster = await startCluster();`
 */
export function startCluster(options: StartClusterOptions = {}): Promise<TestCluster> {
  return startFrom(options);
}

/** For `openCluster`: the same, from what a cluster was before. */
export async function startFrom(options: StartClusterOptions, snapshot?: ClusterSnapshot): Promise<TestCluster> {
  const {
    interleave = false,
    trace = false,
    runtimeConfig,
    disableAdmission,
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
  const made = { ...workload, runtimeConfig, disableAdmission, ...(coded.length === 0 ? {} : { resources: coded }) };
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
    disableAdmission: disableAdmission ?? (workload.controllers === false ? COUNT_ON_CONTROLLERS : []),
  });
  const whole: TemplateOptions = {
    ...others,
    ...groups,
    name: 'test',
    tracing: { tracedRequests: MAX_REQUESTS },
    ...(trace ? { isAlwaysAwake: true } : {}), // who wakes up knows what is, and not what it came from
    storage: { ...stored, type: 'memory', ...(snapshot === undefined ? {} : { contents: storedContents(snapshot) }) },
    ...(keys === undefined ? {} : { serving: { pkiFolder: keys.folder } }),
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
    wire.recorder?.clear(); // what starts a cluster is of no interest in it
    return started;
  } catch (error) {
    await started[Symbol.asyncDispose]();
    throw error;
  }
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
