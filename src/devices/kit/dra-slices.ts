import type { OwnerReference } from '../../api/types/meta/v1.d.ts';
import type { ResourceSlice, ResourceSliceSpec } from '../../api/types/resource/v1.d.ts';
import {
  AbortScope,
  Backoff,
  type Clock,
  type Logger,
  messageOf,
  type Random,
  type Runnable,
} from '../../base/index.ts';
import { type Client, hasReason, type Observed } from '../../client/index.ts';
import { apiDevice, type DraPool } from './dra-device.ts';
import { type DevicePools, NODE_POOL } from './dra-pools.ts';

export interface SlicePublisherParts {
  readonly client: Client;
  readonly driver: string;
  readonly node: string;
  readonly pools: DevicePools;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Called each time that the cluster has the slices as they should be. */
  published(): void;
}

/** What a slice holds. */
type SliceContent = Pick<ResourceSliceSpec, 'devices' | 'sharedCounters'>;

const MAX_DEVICES = 128;
/** The API's limit where a device of the slice has taints or draws from counters. */
const MAX_SPECIAL_DEVICES = 64;
const MAX_COUNTER_SETS = 8;
const RETRY = { initialMs: 200, capMs: 30_000, jitter: 0.2 };

/**
 * Publishes the devices of a driver on a node as ResourceSlices of the node, and keeps them that way: slices that are missing, changed or
 * left over by others are put right.
 *
 * Guarantees: all slices of a pool that belong together have the same generation, and a change of a pool has a new one.
 */
export class SlicePublisher implements Runnable {
  readonly #parts: SlicePublisherParts;
  /** What was written last, and what the server made of it: fields that it fills in or drops are no difference. */
  readonly #written = new Map<string, { readonly version: string; readonly content: string }>();

  constructor(parts: SlicePublisherParts) {
    this.#parts = parts;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { pools, clock, random, log, driver, published } = this.#parts;
    const backoff = new Backoff(RETRY, random);
    while (!signal.aborted) {
      const wanted = pools.all();
      try {
        const version = await this.#publish(wanted, signal);
        published();
        backoff.reset();
        await this.#await(wanted, version, signal);
      } catch (error) {
        if (signal.aborted) return;
        log.warn('ResourceSlices cannot be published yet', { driver, error: messageOf(error) });
        await clock.sleep(backoff.nextMs(), signal);
      }
    }
  }

  /** Makes the slices as wanted; returns the version of the cluster that they were compared with. */
  async #publish(wanted: ReadonlyMap<string, DraPool>, signal: AbortSignal): Promise<string> {
    const { client, node } = this.#parts;
    const { metadata } = await client.core.v1.nodes.get(node, { signal });
    const owner = { apiVersion: 'v1', kind: 'Node', name: node, uid: metadata.uid };
    const { items, resourceVersion } = await client.resource.v1.resourceslices.list({ ...this.#selection(), signal });
    for (const name of this.#written.keys())
      if (!items.some((slice) => slice.metadata.name === name)) this.#written.delete(name);
    const chunks = new Map([...wanted].map(([name, pool]) => [name === NODE_POOL ? node : name, chunksOf(pool)]));
    for (const slice of items) if (!chunks.has(slice.spec.pool.name)) await this.#delete(slice, signal);
    for (const [name, contents] of chunks) {
      const existing = items.filter(({ spec }) => spec.pool.name === name);
      await this.#publishPool({ name, contents, existing, owner }, signal);
    }
    return resourceVersion;
  }

  async #publishPool(
    {
      name,
      contents,
      existing,
      owner,
    }: {
      readonly name: string;
      readonly contents: readonly SliceContent[];
      readonly existing: readonly Observed<ResourceSlice>[];
      readonly owner: OwnerReference;
    },
    signal: AbortSignal,
  ): Promise<void> {
    const { client, driver, node } = this.#parts;
    const newest = existing.reduce((most, { spec }) => Math.max(most, spec.pool.generation), 0);
    const isOwned = (slice: Observed<ResourceSlice>): boolean =>
      slice.metadata.ownerReferences?.some(({ uid }) => uid === owner.uid) === true;
    const current = existing.filter(
      (slice) =>
        slice.spec.pool.generation === newest &&
        slice.spec.pool.resourceSliceCount === contents.length &&
        isOwned(slice),
    );
    const left = [...existing];
    const take = (
      content: SliceContent,
      among: readonly Observed<ResourceSlice>[],
    ): (typeof left)[number] | undefined => {
      const found = among.find((slice) => left.includes(slice) && this.#isSame(slice, content));
      if (found === undefined) return undefined;
      left.splice(left.indexOf(found), 1);
      this.#note(found, content);
      return found;
    };
    const same = contents.map((content) => take(content, current));
    if (same.length !== 0 && !same.includes(undefined)) {
      for (const slice of left) await this.#delete(slice, signal);
      return;
    }
    const pool = { name, generation: newest + 1, resourceSliceCount: contents.length };
    for (const [index, content] of contents.entries()) {
      const before = same[index] ?? left.shift();
      const spec = { driver, nodeName: node, pool, ...content };
      const slices = client.resource.v1.resourceslices;
      const metadata = { ownerReferences: [owner] };
      const { name: own, resourceVersion = '' } = before?.metadata ?? {};
      const stored =
        own === undefined
          ? await slices.create({ metadata: { ...metadata, generateName: `${node}-${driver}-` }, spec }, { signal })
          : await slices.update({ metadata: { ...metadata, name: own, resourceVersion }, spec }, { signal });
      this.#note(stored, content);
    }
    for (const slice of left) await this.#delete(slice, signal);
  }

  #isSame({ metadata, spec }: Observed<ResourceSlice>, content: SliceContent): boolean {
    const written = this.#written.get(metadata.name);
    if (written !== undefined && written.version === metadata.resourceVersion)
      return written.content === textOf(content);
    return textOf({ devices: spec.devices, sharedCounters: spec.sharedCounters } as SliceContent) === textOf(content);
  }

  #note(
    { metadata: { name, resourceVersion: version } }: Pick<Observed<ResourceSlice>, 'metadata'>,
    content: SliceContent,
  ): void {
    this.#written.set(name, { version, content: textOf(content) });
  }

  async #delete({ metadata: { name, uid } }: Observed<ResourceSlice>, signal: AbortSignal): Promise<void> {
    this.#written.delete(name);
    try {
      await this.#parts.client.resource.v1.resourceslices.delete(name, { preconditions: { uid }, signal });
    } catch (error) {
      if (!hasReason(error, 'NotFound')) throw error;
    }
  }

  /** Waits until the devices have changed, or one of the slices. */
  async #await(seen: ReadonlyMap<string, DraPool>, resourceVersion: string, signal: AbortSignal): Promise<void> {
    using scope = new AbortScope(signal);
    const { pools } = this.#parts;
    try {
      await Promise.race([pools.changed(seen, scope.signal), this.#sliceChanged(resourceVersion, scope.signal)]);
    } finally {
      scope.abort(); // the other one ends too
    }
  }

  async #sliceChanged(resourceVersion: string, signal: AbortSignal): Promise<void> {
    const { client } = this.#parts;
    try {
      const watch = client.resource.v1.resourceslices.watch({ ...this.#selection(), resourceVersion, signal });
      for await (const event of watch) {
        if (event.type === 'BOOKMARK') continue;
        const { name, resourceVersion: version } = event.object.metadata;
        if (event.type === 'DELETED' ? this.#written.has(name) : this.#written.get(name)?.version !== version) return;
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  #selection(): { readonly fieldSelector: string } {
    const { driver, node } = this.#parts;
    return { fieldSelector: `spec.driver=${driver},spec.nodeName=${node}` };
  }
}

/** The slices that a pool needs: counters and devices are in separate ones. */
export function chunksOf({ devices, sharedCounters = [] }: DraPool): readonly SliceContent[] {
  const isSpecial = devices.some(
    ({ taints = [], consumesCounters = [] }) => taints.length + consumesCounters.length > 0,
  );
  const size = isSpecial ? MAX_SPECIAL_DEVICES : MAX_DEVICES;
  const contents: SliceContent[] = [];
  for (let from = 0; from < sharedCounters.length; from += MAX_COUNTER_SETS)
    contents.push({ sharedCounters: sharedCounters.slice(from, from + MAX_COUNTER_SETS) });
  for (let from = 0; from < devices.length; from += size)
    contents.push({ devices: devices.slice(from, from + size).map(apiDevice) });
  return contents;
}

/** The same text for the same content, whatever the order of members. The server notes when a taint was added. */
function textOf(content: SliceContent): string {
  return JSON.stringify(content, (key, value: unknown) => {
    if (key === 'timeAdded') return undefined;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    const sorted = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(sorted);
  });
}
