import { capacityOf } from '../../api/meaning/index.ts';
import { hasReason, keyOf, type Observed, type PersistentVolume, type Pod, type Sendable } from '../../client/index.ts';
import { unbind } from './bind.ts';
import type { BinderParts } from './binder-parts.ts';
import { podsByClaim } from './pods-by-claim.ts';
import { setVolumePhase } from './phases.ts';
import type { RecyclerOptions } from './recycler-options.ts';

type Volume = Observed<PersistentVolume>;

const NAMESPACE = 'default';
const PREFIX = 'recycler-for-';
const GIBIBYTE = 1024 ** 3;
const SECONDS_PER_GIBIBYTE = 30;
const MIN_SECONDS = { hostPath: 60, nfs: 300 };
const SCRUB = 'test -e /scrub && find /scrub -mindepth 1 -delete && test -z "$(ls -A /scrub)" || exit 1';

/** The volume that a recycler pod scrubs; undefined for other pods. */
export function scrubbedVolume({ metadata }: Observed<Pod>): string | undefined {
  const isScrubber = metadata.namespace === NAMESPACE && metadata.name.startsWith(PREFIX);
  return isScrubber ? metadata.name.slice(PREFIX.length) : undefined;
}

/**
 * Scrubs a volume with a pod, then makes it available again. Deprecated upstream, so only hostPath and NFS are
 * supported.
 */
export async function recycle(volume: Volume, parts: BinderParts): Promise<void> {
  const { name } = volume.metadata;
  const scrubber = scrubberOf(volume, parts.recycler);
  if (scrubber === undefined) return await fail(volume, 'No recycler plugin found for the volume!', parts);
  const users = usersOf(volume, parts);
  if (users.length > 0) {
    const message = `Volume is used by pods: ${users.join()}`;
    parts.events.event(volume, { type: 'Normal', reason: 'VolumeFailedRecycle', message });
    return parts.requestRetry();
  }
  const pod = parts.pods.get(`${NAMESPACE}/${PREFIX}${name}`);
  if (pod === undefined) {
    if (parts.scrubbed.delete(name)) return await fail(volume, failure('recycler pod was deleted'), parts);
    parts.scrubbed.add(name);
    await parts.pods.create(scrubber).catch(ignoreExisting);
    return;
  }
  parts.scrubbed.add(name);
  const { phase, message = '' } = pod.status ?? {};
  if (phase !== 'Succeeded' && phase !== 'Failed') return;
  parts.scrubbed.delete(name);
  await parts.pods.delete(keyOf(pod), { gracePeriodSeconds: 0 });
  if (phase === 'Failed')
    return await fail(volume, failure(message === '' ? 'pod failed, pod.Status.Message unknown' : message), parts);
  parts.events.event(volume, { type: 'Normal', reason: 'VolumeRecycled', message: 'Volume recycled' });
  await unbind(volume, parts);
}

function failure(why: string): string {
  return `Recycle failed: failed to recycle volume: ${why}`;
}

async function fail(volume: Volume, message: string, parts: BinderParts): Promise<void> {
  const reason = 'VolumeFailedRecycle';
  await setVolumePhase(volume, 'Failed', { ...parts, failure: { type: 'Warning', reason, message } });
  parts.requestRetry();
}

/** Pods that still use the deleted claim. */
function usersOf({ spec }: Volume, { pods, claims }: BinderParts): string[] {
  const key = `${spec?.claimRef?.namespace}/${spec?.claimRef?.name}`;
  if (claims.get(key) !== undefined) return [];
  const running = pods
    .byIndex(podsByClaim, key)
    .filter(({ status }) => status?.phase !== 'Succeeded' && status?.phase !== 'Failed');
  return running.map(keyOf).toSorted();
}

function scrubberOf(volume: Volume, options: RecyclerOptions): Sendable<Pod> | undefined {
  const { hostPath, nfs } = volume.spec ?? {};
  const kind = hostPath !== undefined ? 'hostPath' : nfs !== undefined ? 'nfs' : undefined;
  if (kind === undefined) return undefined;
  const source =
    hostPath !== undefined
      ? { hostPath: { path: hostPath.path } }
      : { nfs: { server: nfs?.server ?? '', path: nfs?.path ?? '' } };
  return {
    metadata: { name: `${PREFIX}${volume.metadata.name}`, namespace: NAMESPACE },
    spec: {
      activeDeadlineSeconds: scrubSeconds(volume, kind, options),
      restartPolicy: 'Never',
      volumes: [{ name: 'vol', ...source }],
      containers: [
        {
          name: 'pv-recycler',
          image: 'registry.k8s.io/build-image/debian-base:bookworm-v1.0.6',
          command: ['/bin/sh'],
          args: ['-c', SCRUB],
          volumeMounts: [{ name: 'vol', mountPath: '/scrub' }],
        },
      ],
    },
  };
}

function scrubSeconds(volume: Volume, kind: 'hostPath' | 'nfs', options: RecyclerOptions): number {
  const [least = MIN_SECONDS[kind], perGibibyte = SECONDS_PER_GIBIBYTE] =
    kind === 'hostPath'
      ? [options.recyclerHostPathSeconds, options.recyclerHostPathSecondsPerGibibyte]
      : [options.recyclerNfsSeconds, options.recyclerNfsSecondsPerGibibyte];
  return Math.max(Math.trunc(capacityOf(volume).value() / GIBIBYTE) * perGibibyte, least);
}

function ignoreExisting(error: unknown): void {
  if (!hasReason(error, 'AlreadyExists')) throw error;
}
