import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { DeviceClass, Node, Observed, Pod, ResourceClaim, ResourceSlice } from '../../../src/client/index.ts';

/** What kube-scheduler did with a pod and its claims: the node and the devices that they got, or why they got none. */
export interface RecordedDevicePod {
  readonly pod: Observed<Pod>;
  /** As they were before the pod came. */
  readonly claims: readonly Observed<ResourceClaim>[];
  readonly node?: string;
  /** The claims afterwards, with one that the scheduler has made; absent when the pod got no node. */
  readonly allocated?: readonly Observed<ResourceClaim>[];
  /** `Unschedulable` or `SchedulerError`, and the message. */
  readonly reason?: string;
  readonly message?: string;
}

export interface RecordedDeviceRun {
  readonly nodes: readonly Observed<Node>[];
  readonly classes: readonly Observed<DeviceClass>[];
  readonly slices: readonly Observed<ResourceSlice>[];
  readonly pods: readonly RecordedDevicePod[];
}

const FILE = join(import.meta.dirname, 'devices.json.gz');

export function readDeviceRuns(): readonly RecordedDeviceRun[] {
  return JSON.parse(gunzipSync(readFileSync(FILE)).toString()) as readonly RecordedDeviceRun[];
}

export function writeDeviceRuns(runs: readonly RecordedDeviceRun[]): void {
  writeFileSync(FILE, gzipSync(JSON.stringify(runs), { level: 9 }));
}
