import { isControlledBy } from '../../api/meaning/index.ts';
import { index, keyOf, type Observed, PersistentVolumeClaim, Pod } from '../../client/index.ts';
import { controller, type Controller, type ReconcileContext, watch } from '../../kit/index.ts';

type Volume = NonNullable<NonNullable<Observed<Pod>['spec']>['volumes']>[number];

/** Pods by the claims that are made for them. */
const podsByOwnClaim = index(Pod, (pod) =>
  ownVolumes(pod).map(({ name }) => `${pod.metadata.namespace}/${claimName(pod, name)}`),
);

/** Makes the claims of pods whose volumes are to live as long as they do; the garbage collector takes them away again. */
export function ephemeralVolumeController(): Controller {
  return controller(Pod, {
    name: 'ephemeral-volume',
    concurrency: 5,
    component: 'ephemeral_volume',
    isRelevant: (pod, old) => old === undefined && ownVolumes(pod).length > 0,
    watches: [
      watch(PersistentVolumeClaim, {
        to: (claim, { objects }) => objects(Pod).byIndex(podsByOwnClaim, keyOf(claim)).map(keyOf),
      }),
    ],
    async reconcile(pod, context) {
      if (pod.metadata.deletionTimestamp !== undefined) return;
      for (const volume of ownVolumes(pod)) await ensureClaim(pod, volume, context);
    },
  });
}

async function ensureClaim(pod: Observed<Pod>, volume: Volume, { objects, event }: ReconcileContext): Promise<void> {
  const { name: podName, namespace = '', uid } = pod.metadata;
  const name = claimName(pod, volume.name);
  const claims = objects(PersistentVolumeClaim);
  const claim = claims.get(`${namespace}/${name}`);
  const fail = (problem: string, cause?: unknown): never => {
    const message = `ephemeral volume ${volume.name}: ${problem}`;
    event({ type: 'Warning', reason: 'FailedBinding', message });
    throw new Error(`Cannot make the claim of pod ${namespace}/${podName}: ${message}`, { cause });
  };
  if (claim !== undefined) {
    if (!isControlledBy(claim, pod))
      fail(`PVC ${namespace}/${name} was not created for pod ${namespace}/${podName} (pod is not owner)`);
    return;
  }
  const { metadata = {}, spec } = volume.ephemeral?.volumeClaimTemplate ?? {};
  const { annotations, labels } = metadata;
  const owner = { apiVersion: 'v1', kind: 'Pod', name: podName, uid, controller: true, blockOwnerDeletion: true };
  const made = { name, namespace, ownerReferences: [owner], annotations, labels };
  try {
    await claims.create({ metadata: made, spec });
  } catch (error) {
    fail(`create PVC ${name}: ${(error as Error).message}`, error);
  }
}

function ownVolumes(pod: Observed<Pod>): readonly Volume[] {
  return (pod.spec?.volumes ?? []).filter(({ ephemeral }) => ephemeral !== undefined);
}

function claimName(pod: Observed<Pod>, volume: string): string {
  return `${pod.metadata.name}-${volume}`;
}
