import type { PersistentVolume, PersistentVolumeClaim, Pod, StorageClass } from '../../client/index.ts';
import type { EventRecorder, Objects } from '../../kit/index.ts';
import type { BinderMetrics } from './volume-metrics.ts';
import type { RecyclerOptions } from './recycler-options.ts';

/** What the binding steps share. */
export interface BinderParts {
  readonly volumes: Objects<PersistentVolume>;
  readonly claims: Objects<PersistentVolumeClaim>;
  readonly classes: Objects<StorageClass>;
  readonly pods: Objects<Pod>;
  readonly events: EventRecorder;
  readonly metrics: BinderMetrics;
  /** Whether dynamic provisioning is enabled. */
  readonly isProvisioningEnabled: boolean;
  readonly recycler: RecyclerOptions;
  /** Volumes that a recycler pod is scrubbing. */
  readonly scrubbed: Set<string>;
  /** Queues the claim with this key. */
  wakeClaim(key: string): void;
  /** Requests another pass, because something may become possible later. */
  requestRetry(): void;
}
