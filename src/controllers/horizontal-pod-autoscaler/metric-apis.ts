import { parseQuantity, ValueError } from '../../api/values/index.ts';
import type { CrossVersionObjectReference } from '../../api/types/autoscaling/v2.d.ts';
import { type DeepReadonly, messageOf, parseGoDuration } from '../../base/index.ts';
import type { Client } from '../../client/index.ts';
import { type Asked, requestProblem } from './request-problem.ts';
import type { ServedTargets } from './served-targets.ts';

/** A pod's measured value, in thousandths. */
export interface PodMetric {
  readonly value: bigint;
  readonly timestampMs: number;
  readonly windowMs: number;
}

/** By pod name. */
export type PodMetrics = ReadonlyMap<string, PodMetric>;

/** Where values are looked up. */
export interface MetricScope {
  readonly namespace: string;
  readonly signal: AbortSignal;
}

/** A metric by name; `selector` is a label selector as text, empty for all. */
export interface NamedMetric {
  readonly name: string;
  readonly selector: string;
}

interface MeasuredPod {
  readonly metadata?: { readonly name?: string };
  readonly timestamp?: string;
  readonly window?: string;
  readonly containers?: readonly { readonly name: string; readonly usage?: Readonly<Record<string, string>> }[];
}

interface MetricValue {
  readonly describedObject?: { readonly name?: string };
  readonly timestamp?: string;
  /** In v1beta2. */
  readonly windowSeconds?: number;
  /** In v1beta1. */
  readonly window?: number;
  readonly value: string;
}

interface ValueList<T> {
  readonly kind?: string;
  readonly items?: readonly T[] | null;
}

const RESOURCES = { group: 'metrics.k8s.io', resource: 'pods' } as const;
const CUSTOM = 'custom.metrics.k8s.io';
const CUSTOM_VERSIONS = ['v1beta2', 'v1beta1'];
const EXTERNAL = 'external.metrics.k8s.io';
const DEFAULT_WINDOW_MS = 60_000;
const TIMEOUT_MS = 30_000;

/** The metrics APIs, read through the API server. Throws an error that explains what could not be read. */
export class MetricApis {
  readonly #client: Client;
  readonly #targets: ServedTargets;

  constructor(client: Client, targets: ServedTargets) {
    this.#client = client;
    this.#targets = targets;
  }

  /** The usage of a resource by the selected pods: all containers together, or one of them. */
  async ofResource(
    { name, container }: { readonly name: string; readonly container?: string | undefined },
    selector: string,
    scope: MetricScope,
  ): Promise<PodMetrics> {
    const path = `/apis/metrics.k8s.io/v1beta1/namespaces/${encodeURIComponent(scope.namespace)}/pods`;
    const items = await this.#read<MeasuredPod>(
      path,
      { labelSelector: selector },
      { ...scope, asked: RESOURCES },
    ).catch((error: unknown) => fail(`unable to fetch metrics from resource metrics API: ${messageOf(error)}`));
    if (items.length === 0) fail('no metrics returned from resource metrics API');
    return new Map(
      items.flatMap((pod) => {
        const value = usageOf(pod, name, container);
        const { metadata, timestamp = '', window = '' } = pod;
        if (value === undefined) return [];
        return [[metadata?.name ?? '', { value, timestampMs: Date.parse(timestamp), windowMs: durationMs(window) }]];
      }),
    );
  }

  /** A custom metric of each selected pod. */
  async ofPods(metric: NamedMetric, selector: string, scope: MetricScope): Promise<PodMetrics> {
    const query = { labelSelector: selector, metricLabelSelector: metric.selector };
    const items = await this.#custom('pods/*', metric, { ...scope, query, asked: { resource: 'pods', name: '*' } });
    if (items.length === 0) fail('no metrics returned from custom metrics API');
    return new Map(
      items.map(({ describedObject, timestamp = '', windowSeconds, window = windowSeconds, value }) => {
        const windowMs = window === undefined ? DEFAULT_WINDOW_MS : window * 1000;
        return [describedObject?.name ?? '', { value: milli(value), timestampMs: Date.parse(timestamp), windowMs }];
      }),
    );
  }

  /** A custom metric of an object in the namespace, or of the namespace itself. */
  async ofObject(
    metric: NamedMetric,
    object: DeepReadonly<CrossVersionObjectReference>,
    scope: MetricScope,
  ): Promise<bigint> {
    const { kind, name, apiVersion = '' } = object;
    const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
    const isNamespace = kind === 'Namespace' && group === '';
    const items = await this.#ofObject(metric, isNamespace ? undefined : { group, kind, name }, scope);
    const [first, ...more] = items;
    if (first === undefined || more.length > 0)
      fail(
        `unable to fetch metrics from custom metrics API: the custom metrics API server returned ${items.length} results when we asked for exactly one`,
      );
    return milli(first.value);
  }

  /** All values of an external metric. */
  async ofExternal({ name, selector }: NamedMetric, scope: MetricScope): Promise<readonly bigint[]> {
    const path = `/apis/${EXTERNAL}/v1beta1/namespaces/${encodeURIComponent(scope.namespace)}/${encodeURIComponent(name)}`;
    const asked = { group: EXTERNAL, resource: name };
    const items = await this.#read<MetricValue>(path, { labelSelector: selector }, { ...scope, asked }).catch(
      (error: unknown) => fail(`unable to fetch metrics from external metrics API: ${messageOf(error)}`),
    );
    if (items.length === 0) fail('no metrics returned from external metrics API');
    return items.map(({ value }) => milli(value));
  }

  async #ofObject(
    metric: NamedMetric,
    object: { readonly group: string; readonly kind: string; readonly name: string } | undefined,
    scope: MetricScope,
  ): Promise<readonly MetricValue[]> {
    const query = { metricLabelSelector: metric.selector };
    if (object === undefined)
      return await this.#custom('metrics', metric, {
        ...scope,
        query,
        asked: { resource: 'metrics', name: metric.name },
      });
    const { group, kind, name } = object;
    const [served] = await this.#targets.find(group, kind, scope.signal);
    if (served === undefined) {
      const full = group === '' ? kind : `${kind}.${group}`;
      fail(
        `unable to fetch metrics from custom metrics API: unable to map kind ${full} to resource: no matches for kind "${kind}" in group "${group}"`,
      );
    }
    const resource = group === '' ? served.plural : `${served.plural}.${group}`;
    try {
      return await this.#custom(`${resource}/${encodeURIComponent(name)}`, metric, {
        ...scope,
        query,
        asked: { resource, name },
      });
    } catch (error) {
      this.#targets.doubt();
      throw error;
    }
  }

  async #custom(
    of: string,
    metric: NamedMetric,
    { asked, query, ...scope }: MetricScope & { readonly asked: Omit<Asked, 'group'>; readonly query: Query },
  ): Promise<readonly MetricValue[]> {
    try {
      const version = await this.#customVersion(scope.signal);
      const within = `/apis/${CUSTOM}/${version}/namespaces/${encodeURIComponent(scope.namespace)}`;
      const path = `${within}/${of}/${encodeURIComponent(metric.name)}`;
      return await this.#read<MetricValue>(path, query, { ...scope, asked: { ...asked, group: CUSTOM } });
    } catch (error) {
      return fail(`unable to fetch metrics from custom metrics API: ${messageOf(error)}`);
    }
  }

  /** The server's preferred version among the known ones. */
  async #customVersion(signal: AbortSignal): Promise<string> {
    const versions = await this.#targets.versionsOf(CUSTOM, signal);
    if (versions.length === 0) fail(`no custom metrics API (${CUSTOM}) registered`);
    return versions.find((each) => CUSTOM_VERSIONS.includes(each)) ?? fail('no known available metric versions found');
  }

  async #read<T>(
    path: string,
    query: Query,
    { asked, signal }: { readonly asked: Asked; readonly signal: AbortSignal },
  ): Promise<readonly T[]> {
    const given = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ''));
    const request = { method: 'GET', path, query: given, signal, timeout: TIMEOUT_MS } as const;
    const list = (await this.#client.request(request).catch((error: unknown) => {
      signal.throwIfAborted();
      return fail(requestProblem(error, asked));
    })) as ValueList<T>;
    return list.items ?? [];
  }
}

type Query = Readonly<Record<string, string>>;

function fail(message: string): never {
  throw new Error(message);
}

/** The sum over all containers; undefined if one of them is missing. */
function usageOf(
  { containers = [] }: MeasuredPod,
  resource: string,
  container: string | undefined,
): bigint | undefined {
  const counted = container === undefined ? containers : containers.filter(({ name }) => name === container);
  const amounts = counted.map(({ usage }) => usage?.[resource]);
  if (amounts.length === 0 || amounts.includes(undefined)) return undefined;
  return amounts.reduce((sum, amount) => sum + milli(amount ?? '0'), 0n);
}

/** An amount in thousandths, rounded up. */
export function milli(text: string | number): bigint {
  const quantity = parseQuantity(String(text));
  if (quantity instanceof ValueError) throw new Error(quantity.message);
  return quantity.scaledValue(-3);
}

function durationMs(text: string): number {
  try {
    return Number(parseGoDuration(text)) / 1e6;
  } catch {
    return 0; // an instantaneous sample
  }
}
