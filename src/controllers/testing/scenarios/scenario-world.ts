// A namespace in which objects are acted upon and looked at, the same on Keelson and on a real cluster: what is told of it
// carries nothing that differs from run to run.
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
import { tellEvents } from './tell-events.ts';

/** How time passes where the objects are. */
export interface WorldTime {
  nowMs(): number;
  /** Resolves when nothing happens any more. */
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

  /** The objects of a kind: those of this namespace, if it has any. */
  of<T extends KubernetesObject>(kind: Kind<T>): ResourceClient<T> {
    const all = this.client.kind(kind);
    return kind.scope === 'Namespaced' ? all.namespace(this.namespace) : all;
  }

  /** Creates an object; what lies outside of the namespace is deleted when the scenario ends. */
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

  /** The time there, in the form that objects have; some seconds later or earlier. */
  now(offsetSeconds = 0): string {
    return `${new Date(this.#time.nowMs() + offsetSeconds * 1000).toISOString().slice(0, 19)}Z`;
  }

  /** Makes pods that are not ready so, as a node would: all, or the first few by name. */
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

  /** Ends pods that are being deleted, as their node would. */
  async removeTerminating(): Promise<void> {
    await this.quiet();
    const { items } = await this.pods.list();
    for (const { metadata } of items)
      if (metadata.deletionTimestamp !== undefined) await this.pods.delete(metadata.name, { gracePeriodSeconds: 0 });
    await this.quiet();
  }

  /** Notes what has changed since the last look: objects by kind and name, those with generated names as lists. */
  async look(label: string): Promise<void> {
    await this.quiet();
    const lists = await Promise.all(
      this.#sight.seen.map(async ({ kind, pick }) => ({ kind, pick, items: (await this.of(kind).list()).items })),
    );
    for (const { kind, items } of lists) for (const object of items) this.#masking.learn(kind.kind, object);
    const told = new Map<string, unknown[]>();
    for (const { kind, pick, items } of lists)
      for (const object of items) {
        const { metadata } = object;
        const key = this.#masking.text(`${kind.kind} ${metadata.name}`);
        const status = 'status' in object ? object.status : undefined;
        const text = this.#masking.value({ ...this.#masking.metadata({ ...metadata }), is: pick(object), status });
        told.set(key, [...(told.get(key) ?? []), text]);
      }
    const now = Object.fromEntries([...told].map(([key, values]) => [key, textOf(values)]));
    const changed = Object.keys({ ...this.#last, ...now })
      .filter((key) => this.#last[key] !== now[key])
      .toSorted();
    const objects = changed.map((key): [string, unknown] => [key, JSON.parse(now[key] ?? 'null')]);
    this.looks.push({ label, ...Object.fromEntries(objects) });
    this.#last = now;
  }

  /** Notes anything else. */
  note(label: string, value: unknown): void {
    this.looks.push({ label, noted: this.#masking.value(value) });
  }

  /** Notes what was told about what happened. */
  async lookAtEvents(): Promise<void> {
    await this.quiet();
    const { items } = await this.client.core.v1.events.list();
    const own = items.filter(
      ({ metadata, involvedObject }) =>
        metadata.namespace === this.namespace || this.#masking.knows(involvedObject.uid ?? ''),
    );
    this.looks.push({ events: tellEvents(own, this.#masking) });
  }

  /** Deletes what the scenario has left outside of its namespace. */
  async cleanUp(): Promise<void> {
    for (const remove of this.#outside) await remove().catch(() => undefined); // some are gone already
  }
}

function textOf(values: readonly unknown[]): string {
  const texts = values.map((value) => JSON.stringify(value)).toSorted();
  return texts.length === 1 ? (texts[0] ?? '') : `[${texts.join()}]`;
}
