import type { Client } from '../../src/client/index.ts';
import type { RealNode } from '../../test/real-node/index.ts';
import type { Measure } from '../api/report.ts';
import type { Kubectl } from '../streamed-pod.ts';

/** The namespace of all pods that are measured. */
export const NAMESPACE = 'bench';

/** What a part is given: a node, how much to do, and who takes its figures. */
export interface NodeBench {
  readonly client: Client;
  readonly node: RealNode;
  readonly kubectl: Kubectl;
  /** A share of the seconds and bytes, to try it. */
  readonly scale: number;
  add(measure: Measure, value: number): void;
}

/** One thing that is measured of a node. */
export interface NodePart {
  readonly name: string;
  measure(bench: NodeBench): Promise<void>;
}
