import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { PodSpec } from '../../../src/api/types/core/v1.d.ts';
import type { RandomNode } from './random-cluster.ts';

/** What kube-scheduler did with a pod: the node that it gave it, or why it gave none. */
export interface RecordedPod {
  readonly name: string;
  /** As the API server had completed it, as far as it matters. */
  readonly spec: Partial<PodSpec>;
  readonly node?: string;
  readonly message?: string;
}

/** A cluster and the pods in the order in which they were scheduled. */
export interface RecordedRun {
  readonly nodes: readonly RandomNode[];
  readonly pods: readonly RecordedPod[];
}

const FILE = join(import.meta.dirname, 'placements.json.gz');

export function readRuns(): readonly RecordedRun[] {
  return JSON.parse(gunzipSync(readFileSync(FILE)).toString()) as readonly RecordedRun[];
}

export function writeRuns(runs: readonly RecordedRun[]): void {
  writeFileSync(FILE, gzipSync(JSON.stringify(runs), { level: 9 }));
}
