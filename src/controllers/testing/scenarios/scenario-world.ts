// A namespace in which a scenario acts and observes, the same on Keelson and on a real cluster: recordings contain
// nothing that differs between runs.
import {
  type Client,
  type Kind,
  type KubernetesObject,
  mergePatch,
  Pod,
  type ResourceClient,
  type Sendable,
  type Stored,
} from '../../../client/index.ts';
import { Masking } from './masking.ts';
import type { Sight } from './seen-kind.ts';
import { eventLines } from './event-lines.ts';

/** How time passes in the cluster. */
export interface WorldTime {
  nowMs(): number;
  /** Resolves when nothing changes any more. */
  quiet(): Promise<void>;
  pass(seconds: number): Promise<void>;
}

export type Look = Readonly<Record<string, unknown>>;

export class ScenarioWorld {
  readonly client: Client;
  readonly namespace: string;
  readonly looks: Look[] = [];
  readonly pods: ResourceClient<Pod>;
  readonly #time: WorldTime;
  readonly #sight: Sight;
  readonly #masking: Masking;
  readonly #outside: (() => Promise<unknown>)[] = [];
  #last: Readonly<Record<string, string>> = {};

  constructor(client: Client, namespace: string, { time, sight }: { readonly time: WorldTime; readonly sight: Sight }) {
    this.client = client;
    this.namespace = namespace;
    this.pods = client.kind(Pod).namespace(namespace);
    this.#time = time;
    this.#sight = sight;
    this.#masking = new Masking(namespace, sight.masks);
  }

  /** The client of a kind, in this namespace if the kind is namespaced. */
  of<T extends KubernetesObject>(kind: Kind<T>): ResourceClient<T> {
    const all = this.client.kind(kind);
    return kind.scope === 'Namespaced' ? all.namespace(this.namespace) : all;
  }

  /** Creates an object; cluster-scoped ones are deleted when the scenario ends. */
  async create<T extends KubernetesObject>(kind: Kind<T>, object: Sendable<T>): Promise<Stored<T>> {
    const objects = this.of(kind);
    const created = await objects.create(object);
    if (kind.scope === 'Cluster') {
      const { name } = created.metadata;
      this.#outside.push(async () => {
        await objects.patch(name, mergePatch({ metadata: { finalizers: null } }));
        await objects.delete(name, { gracePeriodSeconds: 0 });
      });
    }
    await this.quiet();
    return created;
  }

  async change(kind: Kind, name: string, change: object): Promise<void> {
    await this.of(kind).patch(name, mergePatch(change));
    await this.quiet();
  }

  async changeStatus(kind: Kind, name: string, status: object): Promise<void> {
    await this.of(kind).status.patch(name, mergePatch({ status }));
    await this.quiet();
  }

  quiet(): Promise<void> {
    return this.#time.quiet();
  }

  async pass(seconds: number): Promise<void> {
    await this.#time.pass(seconds);
    await this.quiet();
  }

  /** The cluster's time as a timestamp, with an offset in seconds. */
  now(offsetSeconds = 0): string {
    return `${new Date(this.#time.nowMs() + offsetSeconds * 1000).toISOString().slice(0, 19)}Z`;
  }

  /** Makes unready pods ready, as a kubelet would: all, or the first few by name. */
  async makeReady(count: number = Infinity): Promise<void> {
    await this.quiet();
    const { items } = await this.pods.list();
    const waiting = items.filter(
      ({ metadata, status }) =>
        metadata.deletionTimestamp === undefined &&
        status?.phase !== 'Succeeded' &&
        status?.phase !== 'Failed' &&
        !status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True'),
    );
    const names = waiting.map(({ metadata }) => metadata.name).toSorted();
    const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: this.now() }];
    for (const name of names.slice(0, count))
      await this.pods.status.patch(name, mergePatch({ status: { phase: 'Running', conditions } }));
    await this.quiet();
  }

  /** Removes terminating pods, as their kubelet would. */
  async removeTerminating(): Promise<void> {
    await this.quiet();
    const { items } = await this.pods.list();
    for (const { metadata } of items)
      if (metadata.deletionTimestamp !== undefined) await this.pods.delete(metadata.name, { gracePeriodSeconds: 0 });
    await this.quiet();
  }

  /** Records what changed since the last look: objects by kind and name, those with generated names as lists. */
  async look(label: string): Promise<void> {
    await this.quiet();
    const lists = await Promise.all(
      this.#sight.seen.map(async ({ kind, pick }) => ({ kind, pick, items: (await this.of(kind).list()).items })),
    );
    for (const { kind, items } of lists) for (const object of items) this.#masking.learn(kind.kind, object);
    const recorded = new Map<string, unknown[]>();
    for (const { kind, pick, items } of lists)
      for (const object of items) {
        const { metadata } = object;
        const key = this.#masking.text(`${kind.kind} ${metadata.name}`);
        const status = 'status' in object ? object.status : undefined;
        const text = this.#masking.value({ ...this.#masking.metadata({ ...metadata }), is: pick(object), status });
        recorded.set(key, [...(recorded.get(key) ?? []), text]);
      }
    const now = Object.fromEntries([...recorded].map(([key, values]) => [key, textOf(values)]));
    const changed = Object.keys({ ...this.#last, ...now })
      .filter((key) => this.#last[key] !== now[key])
      .toSorted();
    const objects = changed.map((key): [string, unknown] => [key, JSON.parse(now[key] ?? 'null')]);
    this.looks.push({ label, ...Object.fromEntries(objects) });
    this.#last = now;
  }

  /** Records any value. */
  note(label: string, value: unknown): void {
    this.looks.push({ label, noted: this.#masking.value(value) });
  }

  /** Records the events. */
  async lookAtEvents(): Promise<void> {
    await this.quiet();
    const { items } = await this.client.core.v1.events.list();
    const own = items.filter(
      ({ metadata, involvedObject }) =>
        metadata.namespace === this.namespace || this.#masking.knows(involvedObject.uid ?? ''),
    );
    this.looks.push({ events: eventLines(own, this.#masking) });
  }

  /** Deletes the cluster-scoped objects of the scenario. */
  async cleanUp(): Promise<void> {
    for (const remove of this.#outside) await remove().catch(() => undefined); // some are already gone
  }
}

function textOf(values: readonly unknown[]): string {
  const texts = values.map((value) => JSON.stringify(value)).toSorted();
  return texts.length === 1 ? (texts[0] ?? '') : `[${texts.join()}]`;
}
