import { type Duration, runTogether } from '../../base/index.ts';
import {
  keyOf,
  type Observed,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  StorageClass,
} from '../../client/index.ts';
import { type AppContext, type KeyedWorkers, Passes, type PreparedPart, type ProgramPart } from '../../kit/index.ts';
import type { BinderParts } from './binder-parts.ts';
import { volumesNaming } from './find-volume.ts';
import { scrubbedVolume } from './recycle.ts';
import type { RecyclerOptions } from './recycler-options.ts';
import { syncClaim } from './sync-claim.ts';
import { syncVolume } from './sync-volume.ts';
import { binderMetrics } from './volume-metrics.ts';

export interface PersistentVolumeBinderOptions extends RecyclerOptions {
  /** How often unbound claims and volumes that could not be reclaimed are retried; default 15 s. */
  readonly claimBinderSyncPeriod?: Duration;
  /** Whether provisioners are asked for volumes; default true. */
  readonly enableDynamicProvisioning?: boolean;
}

const COMPONENT = 'persistentvolume-controller';
const SYNC_PERIOD_MS = 15_000;

/** Binds claims to volumes, requests volumes from provisioners, and reclaims released ones. */
export function persistentVolumeBinder(options: PersistentVolumeBinderOptions = {}): ProgramPart {
  return {
    name: 'persistentvolume-binder',
    sleepsWithout: [PersistentVolumeClaim, PersistentVolume],
    prepare: (context) => new Binder(context, options),
  };
}

class Binder implements PreparedPart {
  readonly #parts: BinderParts;
  /** Processes one claim at a time: two claims must not get the same volume. */
  readonly #claims: KeyedWorkers;
  readonly #volumes: KeyedWorkers;
  readonly #passes: Passes;

  constructor(context: AppContext, options: PersistentVolumeBinderOptions) {
    const { claimBinderSyncPeriod = SYNC_PERIOD_MS, enableDynamicProvisioning = true } = options;
    this.#claims = context.workers('claims', { work: (key) => this.#syncClaim(key) });
    this.#volumes = context.workers('volumes', { work: (key) => this.#syncVolume(key) });
    this.#passes = new Passes(context, 'persistentvolume_resync', {
      period: claimBinderSyncPeriod,
      pass: async () => this.#syncAll(),
    });
    const volumes = context.objects(PersistentVolume);
    const claims = context.objects(PersistentVolumeClaim);
    this.#parts = {
      volumes,
      claims,
      metrics: binderMetrics(context.metrics, { volumes, claims }),
      classes: context.objects(StorageClass),
      pods: context.objects(Pod),
      events: context.events(COMPONENT),
      isProvisioningEnabled: enableDynamicProvisioning,
      recycler: options,
      scrubbed: new Set(),
      wakeClaim: (key) => this.#claims.add(key),
      requestRetry: () => this.#passes.request(),
    };
    this.#listen(context);
  }

  async run(signal: AbortSignal): Promise<void> {
    await runTogether([this.#claims, this.#volumes, this.#passes], signal);
  }

  #listen(context: AppContext): void {
    const claimChanged = (claim: Observed<PersistentVolumeClaim>): void => this.#claims.add(keyOf(claim));
    const volumeChanged = (volume: Observed<PersistentVolume>): void => this.#volumes.add(volume.metadata.name);
    context.onChange(PersistentVolumeClaim, {
      add: claimChanged,
      update: claimChanged,
      delete: (claim) => {
        const { volumeName = '' } = claim.spec ?? {};
        if (volumeName !== '') this.#volumes.add(volumeName);
        for (const volume of volumesNaming(keyOf(claim), this.#parts.volumes)) volumeChanged(volume);
      },
    });
    const podChanged = (pod: Observed<Pod>): void => {
      const volume = scrubbedVolume(pod);
      if (volume !== undefined) this.#volumes.add(volume);
    };
    context.onChange(Pod, { update: podChanged, delete: podChanged });
    context.onChange(PersistentVolume, {
      add: volumeChanged,
      update: volumeChanged,
      delete: ({ spec }) => {
        const { namespace = '', name } = spec?.claimRef ?? {};
        if (name !== undefined) this.#claims.add(`${namespace}/${name}`);
      },
    });
  }

  async #syncClaim(key: string): Promise<void> {
    const claim = this.#parts.claims.get(key);
    if (claim !== undefined) await syncClaim(claim, this.#parts);
  }

  async #syncVolume(key: string): Promise<void> {
    const volume = this.#parts.volumes.get(key);
    if (volume !== undefined) await syncVolume(volume, this.#parts);
  }

  #syncAll(): void {
    for (const claim of this.#parts.claims.list()) this.#claims.add(keyOf(claim));
    for (const volume of this.#parts.volumes.list()) this.#volumes.add(volume.metadata.name);
  }
}
