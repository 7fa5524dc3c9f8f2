import type { Measure } from '../api/report.ts';
import type { ControlPlane, PlaneKind } from './control-plane.ts';

export interface ClusterBench {
  /** A share of pods and nodes, to try it. */
  readonly scale: number;
  startControlPlane(nodes: number): Promise<ControlPlane>;
  add(measure: Omit<Measure, 'part' | 'better'>, value: number): void;
}

/** One thing that is measured of the whole cluster. */
export interface ClusterPart {
  readonly name: string;
  /** Heading of its figures. */
  readonly title: string;
  /** Those of which it is measured, and in how many rounds at most. */
  readonly of: readonly PlaneKind[];
  readonly maxRounds?: number;
  /** Why it cannot be measured here, in words to print. */
  whyNot?(): string | undefined;
  measure(bench: ClusterBench): Promise<void>;
}
