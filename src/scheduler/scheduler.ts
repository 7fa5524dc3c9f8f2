import { type Duration, millisecondsOf } from '../base/index.ts';
import { type ObjectSelection, type Kind, Pod } from '../client/index.ts';
import type { ProgramContext, EventRecorder, ProgramPart, PreparedPart } from '../kit/index.ts';
import { NominatedPods } from './cache/nominated-pods.ts';
import { SchedulerCache } from './cache/scheduler-cache.ts';
import { Snapshot } from './cache/snapshot.ts';
import { PodScheduler } from './cycle/schedule-pod.ts';
import { SchedulingLoop } from './cycle/scheduling-loop.ts';
import type { Extender } from './framework/extender.ts';
import { Framework } from './framework/framework.ts';
import { PreBindingPods } from './framework/pre-binding-pods.ts';
import type { PluginFactory, SharedContext } from './framework/plugin-context.ts';
import { defaultProfile, type Profile, withIgnoredResources } from './framework/profile.ts';
import { WaitingPods } from './framework/waiting-pods.ts';
import { builtInPlugins } from './plugins/registry.ts';
import { SchedulingQueue } from './queue/scheduling-queue.ts';
import { SchedulerMetrics } from './scheduler-metrics.ts';
import { ClusterWatch } from './watch/cluster-watch.ts';
import { ObservedScheduling } from './why/observed-scheduling.ts';
import type { SchedulingAttempts } from './why/scheduling-attempts.ts';

export interface SchedulerOptions {
  /** Scheduling profiles, chosen by `spec.schedulerName`; default `[defaultProfile]`. */
  readonly profiles?: readonly Profile[];
  /** Plugins in addition to the built-in ones, by name. */
  readonly plugins?: ReadonlyMap<string, PluginFactory>;
  /** Extenders, called after the plugins in this order, for the pods of all profiles. */
  readonly extenders?: readonly Extender[];
  /** The back-off of a pod after its first rejection; default 1 s. */
  readonly podInitialBackoff?: Duration;
  /** Maximum back-off of a pod; default 10 s. */
  readonly podMaxBackoff?: Duration;
  /** A pod that waits for a cluster event is retried after this time; default 5 minutes. */
  readonly maxUnschedulableTime?: Duration;
  /** Records recent scheduling attempts with their reasons; default: not recorded. */
  readonly attempts?: SchedulingAttempts;
}

/** Excludes finished pods, which need no node and use no resources. */
const UNFINISHED_PODS = { fieldSelector: 'status.phase!=Succeeded,status.phase!=Failed' };

/** Assigns a node to every pod whose schedulerName is that of a profile. */
export function scheduler(options: SchedulerOptions = {}): ProgramPart {
  checkProfileNames(options.profiles ?? [defaultProfile]);
  return { name: 'scheduler', sleepsWithout: [Pod], prepare: (context) => prepare(context, options) };
}

function prepare(context: ProgramContext, given: SchedulerOptions): PreparedPart {
  const { clock, metrics: registry } = context;
  const observed = given.attempts === undefined ? undefined : new ObservedScheduling(given.attempts, clock);
  const options = observed?.options(given) ?? given;
  const log = context.log.with({ part: 'scheduler' });
  for (const plugin of unusedPlugins(given)) log.warn('plugin is in no profile and is never called', { plugin });
  const nominatedPods = new NominatedPods();
  const waitingPods = new WaitingPods();
  const preBindingPods = new PreBindingPods();
  const others = new Map<string, Kind>();
  const metrics = new SchedulerMetrics(registry);
  const frameworks = makeFrameworks(options, {
    client: context.client,
    clock,
    random: context.random,
    log,
    metrics: metrics.preemption,
    allocationsInFlight: new Map(),
    event: (schedulerName, pod, details) => recorders.get(schedulerName)?.event(pod, details),
    runInBackground: (task) => loop.runInBackground(task),
    activate: (key) => queue.activate(key),
    nominatedPods,
    waitingPods,
    preBindingPods,
    extenders: options.extenders ?? [],
    objects(kind) {
      const isOwn = kind.group === '' && (kind.kind === 'Pod' || kind.kind === 'Node');
      if (!isOwn) others.set(`${kind.group}/${kind.kind}`, kind as Kind);
      return context.objects(kind, scopeOf(kind)); // all users of a kind share one watch
    },
    onChange: (kind, handler) => void context.onChange(kind, handler, scopeOf(kind)),
  });
  const queue = new SchedulingQueue(frameworks, {
    clock,
    log,
    nominatedPods,
    backoff: { initialMs: milliseconds(options.podInitialBackoff), maxMs: milliseconds(options.podMaxBackoff) },
    maxUnschedulableMs: milliseconds(options.maxUnschedulableTime),
    onArrival: (place, event) => metrics.arrived(place, event),
  });
  const cache = new SchedulerCache();
  metrics.watch(registry, queue, cache);
  const snapshot = new Snapshot();
  const recorders = new Map<string, EventRecorder>(
    Array.from(frameworks.keys(), (name) => {
      const recorder = context.events(name);
      return [name, observed?.recorder(recorder) ?? recorder];
    }),
  );
  const podScheduler = new PodScheduler(snapshot, context.random);
  const loop = new SchedulingLoop({
    clock,
    log,
    metrics,
    queue,
    cache,
    nominatedPods,
    preBindingPods,
    snapshot,
    frameworks,
    scheduler: observed?.scheduler(podScheduler, snapshot) ?? podScheduler,
    pods: context.objects(Pod, UNFINISHED_PODS),
    stopGraceMs: context.stopGraceMs,
    recorder: (name) => recorders.get(name) as EventRecorder,
  });
  const watch = new ClusterWatch({ cache, queue, waitingPods, isOurs: (name) => frameworks.has(name) });
  watch.listen(context, { pods: UNFINISHED_PODS, others: others.values() });
  return {
    get isIdle() {
      return loop.isIdle;
    },
    async run(signal) {
      using _ = queue;
      try {
        await loop.run(signal);
      } finally {
        for (const extender of options.extenders ?? []) extender.close?.();
      }
    },
  };
}

function scopeOf({ group, kind }: Pick<Kind, 'group' | 'kind'>): ObjectSelection | undefined {
  return group === '' && kind === 'Pod' ? UNFINISHED_PODS : undefined;
}

function makeFrameworks(options: SchedulerOptions, shared: SharedContext): ReadonlyMap<string, Framework> {
  const ignored = shared.extenders.flatMap(({ ignoredResources = [] }) => ignoredResources);
  const profiles = (options.profiles ?? [defaultProfile]).map((profile) => withIgnoredResources(profile, ignored));
  const factories = new Map([...builtInPlugins, ...(options.plugins ?? [])]);
  const frameworks = profiles.map((profile) => new Framework(profile, factories, shared));
  const sorts = new Set(frameworks.map((framework) => framework.at('QueueSort')[0]?.name));
  if (sorts.size > 1) throw new Error('initializing profiles: different queue sort plugins for the profiles');
  return new Map(frameworks.map((framework) => [framework.schedulerName, framework]));
}

/** The given plugins that no profile enables. */
function unusedPlugins({ plugins = new Map(), profiles = [defaultProfile] }: SchedulerOptions): readonly string[] {
  const used = new Set(
    profiles.flatMap(({ plugins: everywhere, points = {} }) =>
      [...everywhere, ...Object.values(points).flatMap(({ enabled = [] }) => enabled)].map(({ name }) => name),
    ),
  );
  return [...plugins.keys()].filter((name) => !used.has(name));
}

function checkProfileNames(profiles: readonly Profile[]): void {
  const names = new Set(profiles.map(({ schedulerName }) => schedulerName));
  if (names.size === profiles.length && names.size > 0) return;
  throw new Error('Cannot make a scheduler: there must be a profile, and no two may have the same schedulerName');
}

function milliseconds(duration: Duration | undefined): number | undefined {
  return duration === undefined ? undefined : millisecondsOf(duration);
}
