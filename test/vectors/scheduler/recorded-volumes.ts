import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import type {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  StorageClass,
  VolumeAttachment,
} from '../../../src/api/types/storage/v1.d.ts';
import type { PersistentVolumeClaimSpec, PersistentVolumeSpec, PodSpec } from '../../../src/api/types/core/v1.d.ts';
import type { RandomNode } from './random-cluster.ts';

interface Named {
  readonly name: string;
  readonly namespace?: string;
  readonly labels?: Record<string, string>;
  readonly annotations?: Record<string, string>;
}

type As<T, Phase extends string> = { readonly metadata: Named; readonly spec: T; readonly phase: Phase };
type Bare<T> = Omit<T, 'metadata' | 'kind' | 'apiVersion'> & { readonly metadata: Named };

/** All that the scheduler sees of storage. */
export interface VolumeObjects {
  readonly nodes: readonly RandomNode[];
  readonly csiNodes: readonly Bare<CSINode>[];
  readonly classes: readonly Bare<StorageClass>[];
  readonly drivers: readonly Bare<CSIDriver>[];
  readonly capacities: readonly Bare<CSIStorageCapacity>[];
  readonly claims: readonly As<PersistentVolumeClaimSpec, 'Pending' | 'Bound' | 'Lost'>[];
  readonly volumes: readonly As<PersistentVolumeSpec, 'Available' | 'Bound' | 'Released'>[];
  readonly attachments: readonly Bare<VolumeAttachment>[];
}

/** What kube-scheduler did with a pod: why it gave it no node, or which one, and what it decided about its claims. */
export interface VolumeDecision {
  readonly name: string;
  readonly spec: Partial<PodSpec>;
  readonly node?: string;
  readonly message?: string;
  /** The volume that was reserved for a claim; empty for one that is to be made for the node. */
  readonly chosen?: Readonly<Record<string, string>>;
}

export interface VolumeRun {
  readonly objects: VolumeObjects;
  readonly pods: readonly VolumeDecision[];
}

const FILE = join(import.meta.dirname, 'volumes.json.gz');

export function readVolumeRuns(): readonly VolumeRun[] {
  return JSON.parse(gunzipSync(readFileSync(FILE)).toString()) as readonly VolumeRun[];
}

export function writeVolumeRuns(runs: readonly VolumeRun[]): void {
  writeFileSync(FILE, gzipSync(JSON.stringify(runs), { level: 9 }));
}
