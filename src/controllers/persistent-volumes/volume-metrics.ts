import { storageClassNameOf } from '../../api/meaning/index.ts';
import type { Counter, MetricRegistry } from '../../base/index.ts';
import type { Observed, PersistentVolume, PersistentVolumeClaim } from '../../client/index.ts';
import type { Objects } from '../../kit/index.ts';
import { countByLabels } from '../count-by-labels.ts';

/** Counters of the binder. */
export interface BinderMetrics {
  /** Claims that got the default class after their creation: attempts and failures. */
  readonly defaulted: Counter;
  readonly defaultFailed: Counter;
}

/** Metrics of volumes and claims, under kube-controller-manager's names. */
export function binderMetrics(
  metrics: MetricRegistry,
  { volumes, claims }: { readonly volumes: Objects<PersistentVolume>; readonly claims: Objects<PersistentVolumeClaim> },
): BinderMetrics {
  const ofVolumes = ['storage_class'] as const;
  const ofClaims = ['namespace', 'storage_class', 'volume_attributes_class'] as const;
  const name = (what: string): string => `pv_collector_${what}_count`;
  const volumeCount = (what: string, help: string, isCounted: (volume: Observed<PersistentVolume>) => boolean): void =>
    metrics.callback({ name: name(what), help, labels: ofVolumes }, () =>
      countByLabels(
        volumes
          .list()
          .filter(isCounted)
          .map(({ spec }) => ({ storage_class: spec?.storageClassName ?? '' })),
      ),
    );
  const claimCount = (
    what: string,
    help: string,
    isCounted: (claim: Observed<PersistentVolumeClaim>) => boolean,
  ): void =>
    metrics.callback({ name: name(what), help, labels: ofClaims }, () =>
      countByLabels(
        claims
          .list()
          .filter(isCounted)
          .map((claim) => ({
            namespace: claim.metadata.namespace ?? '',
            storage_class: storageClassNameOf(claim),
            volume_attributes_class: claim.spec?.volumeAttributesClassName ?? '',
          })),
      ),
    );
  volumeCount('bound_pv', 'Volumes that claims have.', isBound);
  volumeCount('unbound_pv', 'Volumes that no claim has.', (volume) => !isBound(volume));
  claimCount('bound_pvc', 'Claims that have volumes.', isBound);
  claimCount('unbound_pvc', 'Claims that have no volume.', (claim) => !isBound(claim));
  const total = { name: name('total_pv'), help: 'Volumes.', labels: ['plugin_name', 'volume_mode'] as const };
  metrics.callback(total, () =>
    countByLabels(
      volumes.list().map((volume) => ({
        plugin_name: binderPluginOf(volume),
        volume_mode: volume.spec?.volumeMode ?? 'Filesystem',
      })),
    ),
  );
  const defaulting = (suffix: string, help: string): Counter =>
    metrics.counter({ name: `retroactive_storageclass_${suffix}`, help }).with();
  return {
    defaulted: defaulting('total', 'Claims that were given the default class after they were made.'),
    defaultFailed: defaulting('errors_total', 'Claims that could not be given the default class.'),
  };
}

/** The plugin that could provision or recycle the volume: the binder still has two. */
function binderPluginOf({ spec }: Observed<PersistentVolume>): string {
  if (spec?.hostPath !== undefined) return 'kubernetes.io/host-path';
  return spec?.nfs === undefined ? 'N/A' : 'kubernetes.io/nfs';
}

function isBound({ status }: { readonly status?: { readonly phase?: string } }): boolean {
  return status?.phase === 'Bound';
}
