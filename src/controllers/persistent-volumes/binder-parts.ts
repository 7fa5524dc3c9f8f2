import type { PersistentVolume, PersistentVolumeClaim, Pod, StorageClass } from '../../client/index.ts';
import type { EventRecorder, Objects } from '../../kit/index.ts';
import type { BinderMetrics } from './volume-metrics.ts';
import type { RecyclerOptions } from './recycler-options.ts';

/** What the steps of binding have at hand. */
export interface BinderParts {
  readonly volumes: Objects<PersistentVolume>;
  readonly claims: Objects<PersistentVolumeClaim>;
  readonly classes: Objects<StorageClass>;
  readonly pods: Objects<Pod>;
  readonly events: EventRecorder;
  readonly metrics: BinderMetrics;
  /** Whether provisioners are asked to make volumes. */
  readonly asksForVolumes: boolean;
  readonly recycler: RecyclerOptions;
  /** Volumes that a pod is scrubbing. */
  readonly scrubbed: Set<string>;
  /** Has the claim of this key looked at. */
  wakeClaim(key: string): void;
  /** Something is left to be done, and may be possible later. */
  lookAgain(): void;
}
