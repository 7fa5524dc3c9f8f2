import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { PodSpec } from '../../../src/api/types/core/v1.d.ts';
import type { AssignmentOptions, MachineShape } from '../../../src/assignment/index.ts';

/** The resource of the devices in all cases. */
export const RESOURCE = 'example.com/fpga';
/** What nodes keep back from pods in all cases. */
export const RESERVED = { cpu: '1', memory: '1Gi' };

/** A device and the NUMA nodes that it is near to. */
export interface RecordedDevice {
  readonly id: string;
  readonly numaNodes: readonly number[];
}

/** A new pod, or the end of an earlier one. */
export type Step = { readonly uid: string; readonly spec: PodSpec } | { readonly release: string };

/** A machine, how its resources are assigned, and the pods that come and go. */
export interface Case {
  readonly shape: MachineShape;
  /** In place of those that follow from the shape. */
  readonly distances?: readonly (readonly number[])[];
  readonly options: AssignmentOptions;
  readonly devices: readonly RecordedDevice[];
  readonly steps: readonly Step[];
}

/** What a container has for itself. */
export interface GivenToContainer {
  /** A list of processors: `0-3,8`. */
  readonly cpus?: string;
  /** Kind, bytes and NUMA nodes: `memory 1073741824 0-1`. */
  readonly memory?: readonly string[];
  readonly devices?: readonly string[];
}

/** What the managers of a kubelet did in one step. */
export interface Decision {
  readonly reason?: string;
  readonly message?: string;
  readonly containers?: Readonly<Record<string, GivenToContainer>>;
}

export interface RecordedCase extends Case {
  /** One for each step. */
  readonly decisions: readonly Decision[];
}

const FILE = join(import.meta.dirname, 'decisions.json.gz');

export function readCases(): readonly RecordedCase[] {
  return JSON.parse(gunzipSync(readFileSync(FILE)).toString()) as readonly RecordedCase[];
}

export function writeCases(cases: readonly RecordedCase[]): void {
  writeFileSync(FILE, gzipSync(JSON.stringify(cases), { level: 9 }));
}
