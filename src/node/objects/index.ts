// ConfigMaps and Secrets that the pods of a node refer to, and how a node learns of their changes.
import type { Clock, Logger, Random } from '../../base/index.ts';
import type { Client, Node, Observed } from '../../client/index.ts';
import { CachedObjects } from './cached-objects.ts';
import { FetchedObjects } from './fetched-objects.ts';
import type { PodObjects } from './pod-objects.ts';
import { WatchedObjects } from './watched-objects.ts';

export { referencedData } from './referenced-data.ts';
export type { ObjectReference, PodObject, PodObjects } from './pod-objects.ts';

/** `configMapAndSecretChangeDetectionStrategy` of a KubeletConfiguration. */
export type ChangeDetection = 'Get' | 'Cache' | 'Watch';

export interface PodObjectsParts {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** The node's own object. */
  node(): Observed<Node> | undefined;
  /** Called when an object that this pod uses has changed; with `Watch` alone. */
  changed(podUid: string): void;
}

/** How long objects serve with `Cache`, in seconds, where the node's annotation does not say. */
const DEFAULT_TTL_SECONDS = 60;
const TTL_ANNOTATION = 'node.alpha.kubernetes.io/ttl';

export function openPodObjects(strategy: ChangeDetection, parts: PodObjectsParts): PodObjects {
  switch (strategy) {
    case 'Get':
      return new FetchedObjects(parts.client);
    case 'Cache':
      return new CachedObjects({ ...parts, ttlMs: () => ttlSeconds(parts.node()) * 1000 });
    case 'Watch':
      return new WatchedObjects(parts);
  }
}

function ttlSeconds(node: Observed<Node> | undefined): number {
  const text = node?.metadata.annotations?.[TTL_ANNOTATION] ?? '';
  return /^[+-]?\d+$/.test(text) ? Number(text) : DEFAULT_TTL_SECONDS;
}
