import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { PodSpec } from '../../../src/api/types/core/v1.d.ts';
import type { Surroundings } from './random-mix.ts';

/** What kube-scheduler decided about a pod. */
export interface Decision {
  readonly name: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  /** The kind and name of its controller. */
  readonly owner?: string;
  /** As the API server had completed it, as far as it matters. */
  readonly spec: Partial<PodSpec>;
  /** The node that it got, in the end. */
  readonly node?: string;
  /** Why it got none at the first try. */
  readonly message?: string;
  /** Weighted scores by node and plugin; only where several nodes would do, and for those only. */
  readonly scores?: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Where it was nominated for at the first try, and the pods that were deleted for it. */
  readonly nominated?: { readonly node: string; readonly victims: readonly string[] };
}

/** A cluster and the decisions in it, one after the other. */
export interface DecisionRun {
  readonly surroundings: Surroundings;
  readonly decisions: readonly Decision[];
}

const FILE = join(import.meta.dirname, 'decisions.json.gz');

export function readDecisions(): readonly DecisionRun[] {
  return JSON.parse(gunzipSync(readFileSync(FILE)).toString()) as readonly DecisionRun[];
}

export function writeDecisions(runs: readonly DecisionRun[]): void {
  writeFileSync(FILE, gzipSync(JSON.stringify(runs), { level: 9 }));
}

/** When the pod of a decision was started, for which pods are more important: each a second after the one before. */
export function startTimeOf(index: number): string {
  return new Date(Date.UTC(2026, 0, 1, 0, 0, index)).toISOString().replace('.000Z', 'Z');
}
