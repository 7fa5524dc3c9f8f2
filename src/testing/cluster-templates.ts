import { discardLogger, RealClock, SeededRandom } from '../base/index.ts';
import { type Cluster, type ClusterOptions, type ClusterTemplate, launchCluster } from '../cluster/index.ts';
import { ObservedResources } from './observed-resources.ts';
import { settleAll } from './settle-all.ts';
import { TestWorld } from './test-world.ts';

/** The options that decide which objects a cluster begins with. */
export type TemplateOptions = Omit<
  ClusterOptions,
  'clock' | 'certificateClock' | 'random' | 'log' | 'signal' | 'local'
>;

/** The number of templates that are kept, by least recent use. */
const MAX_TEMPLATES = 8;

/** A date that occurs in no object except as a time of the template's start. */
const MADE_AT_MS = Date.UTC(2001, 1, 3, 4, 5, 6);

/** Started, idle clusters, by their options. */
export class ClusterTemplates {
  readonly #templates = new Map<string, Promise<ClusterTemplate<Cluster>>>();

  /**
   * The template for these options; undefined if an option is not plain data, and so cannot be compared, or is not
   * known to affect objects only.
   */
  of(options: TemplateOptions): Promise<ClusterTemplate<Cluster>> | undefined {
    const name = nameOf(options);
    if (name === undefined) return undefined;
    const template = this.#templates.get(name) ?? makeTemplate(options);
    this.#templates.delete(name);
    this.#templates.set(name, template);
    template.catch(() => this.#templates.delete(name));
    const [oldest = ''] = this.#templates.keys();
    if (this.#templates.size > MAX_TEMPLATES) this.#templates.delete(oldest);
    return template;
  }
}

/** Starts a cluster, lets it settle, and keeps its state. */
async function makeTemplate(options: TemplateOptions): Promise<ClusterTemplate<Cluster>> {
  const world = new TestWorld({
    startMs: MADE_AT_MS,
    observed: new ObservedResources({ isWrapped: false }),
    reconcileTimeoutMs: 0,
  });
  const { clock, tracker } = world;
  const stop = new AbortController();
  const cluster = await launchCluster({
    ...options,
    clock,
    certificateClock: new RealClock(),
    random: new SeededRandom('template'),
    log: discardLogger,
    signal: stop.signal,
  });
  try {
    await settleAll(() => cluster.apps, { clock, tracker, settle: () => world.settle() });
    return cluster.template((clock.nextDueMs ?? Infinity) - clock.now());
  } finally {
    stop.abort();
    await cluster[Symbol.asyncDispose]();
  }
}

/** Options that are groups of others. */
const GROUPS = ['storage', 'serving', 'access', 'admission', 'tracing', 'extensions'] as const;

type Group = (typeof GROUPS)[number];

/** Options that only decide which objects exist: they open nothing and hold no state. */
const KNOWN: ReadonlySet<string> = new Set<keyof TemplateOptions | `${Group}.${string}`>([
  'name',
  'kubernetesVersion',
  'storage.type',
  'tracing.tracedRequests',
  'serviceCidrs',
  'runtimeConfig',
  'admission.enable',
  'admission.disable',
  'admission.configuration',
  'controllers',
  'controllerSettings',
  'scheduler',
  'nodes',
  'simulatedMetrics',
  'simulatedStorage',
]);

/** All options as text; undefined when one is unknown or not plain data. */
function nameOf(options: TemplateOptions): string | undefined {
  const { storage, serving, access, admission, tracing, extensions, ...others } = options;
  const groups = { storage, serving, access, admission, tracing, extensions } satisfies Record<Group, unknown>;
  const members = Object.entries(groups).flatMap(([group, each]) =>
    Object.entries(each ?? {}).map(([name, value]): [string, unknown] => [`${group}.${name}`, value]),
  );
  const all = [...Object.entries<unknown>(others), ...members];
  const given = all.filter(([, value]) => value !== undefined && !isEmptyList(value));
  const canBeCompared = given.every(([name, value]) => KNOWN.has(name) && isPlain(value));
  return canBeCompared ? JSON.stringify(Object.fromEntries(given), sortedMembers) : undefined;
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function isPlain(value: unknown): boolean {
  if (typeof value === 'function' || typeof value === 'symbol' || typeof value === 'bigint') return false;
  if (typeof value !== 'object' || value === null) return true;
  if (value instanceof Map) return [...value].every(isPlain);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (!Array.isArray(value) && prototype !== Object.prototype && prototype !== null) return false;
  return Object.values(value).every(isPlain);
}

function sortedMembers(_: string, value: unknown): unknown {
  if (value instanceof Map) return ['map', ...value];
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)));
}
