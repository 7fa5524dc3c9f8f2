import type { Clock } from '../../base/index.ts';
import type { Observed, Pod } from '../../client/index.ts';
import type { AgentMetrics } from '../agent-metrics.ts';
import type { Volume } from '../backend/index.ts';
import type { VolumeUsage } from '../runtime/index.ts';
import type { PodVolumes } from './pod-volumes.ts';

/** Volumes are measured again after this long, as a kubelet does by default. */
const KEEP_MS = 60_000;
const MAX_KEPT = 10_000;
/** Measuring is never given up: it is done in small steps. */
const NEVER = new AbortController().signal;

export interface PodVolumesUsageParts {
  readonly clock: Clock;
  readonly volumes: Pick<PodVolumes, 'stats'>;
  readonly metrics: AgentMetrics;
}

/** How full the volumes of pods are. They are measured at most once a minute, and only on request. */
export class PodVolumesUsage {
  readonly #parts: PodVolumesUsageParts;
  /** By the uid of the pod, those measured last at the end. */
  readonly #known = new Map<string, { readonly atMs: number; readonly volumes: Promise<readonly VolumeUsage[]> }>();

  constructor(parts: PodVolumesUsageParts) {
    this.#parts = parts;
  }

  /** Those that are mounted and can be measured. Volumes that cannot be measured now are left out. */
  async of(pod: Observed<Pod>): Promise<readonly VolumeUsage[]> {
    const { uid } = pod.metadata;
    const known = this.#known.get(uid);
    const atMs = this.#parts.clock.monotonic();
    if (known !== undefined && atMs - known.atMs < KEEP_MS) return known.volumes;
    const volumes = this.#measure(pod);
    this.#known.delete(uid);
    this.#known.set(uid, { atMs, volumes });
    const [oldest] = this.#known.keys();
    if (oldest !== undefined && this.#known.size > MAX_KEPT) this.#known.delete(oldest);
    return volumes;
  }

  async #measure(pod: Observed<Pod>): Promise<readonly VolumeUsage[]> {
    const { clock, metrics } = this.#parts;
    const beganMs = clock.monotonic();
    const measured = await this.#parts.volumes.stats(pod, NEVER).catch(() => []);
    const tookMs = clock.monotonic() - beganMs;
    if (measured.length > 0)
      metrics.observe('kubelet_volume_metric_collection_duration_seconds', tookMs / 1000, { metric_source: 'du' });
    return measured.map(({ name, claim, ...stats }) => {
      const volume = pod.spec?.volumes?.find((each) => each.name === name);
      return { ...NOTHING, ...stats, name, claim: claim?.name, isEphemeral: volume !== undefined && isLocal(volume) };
    });
  }
}

const NOTHING = { capacityBytes: 0, availableBytes: 0, usedBytes: 0, inodes: 0, inodesFree: 0, inodesUsed: 0 };

/** Whether a volume takes space of the node itself, and goes with the pod. */
function isLocal({ emptyDir, configMap }: Volume): boolean {
  return configMap !== undefined || (emptyDir !== undefined && (emptyDir.medium ?? '') === '');
}
