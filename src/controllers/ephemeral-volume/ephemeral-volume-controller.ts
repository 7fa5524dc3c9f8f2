import { isControlledBy } from '../../api/meaning/index.ts';
import type { Counter, MetricRegistry } from '../../base/index.ts';
import { index, keyOf, type Observed, PersistentVolumeClaim, Pod } from '../../client/index.ts';
import { controller, type Controller, type ReconcileContext, watch } from '../../kit/index.ts';

type Volume = NonNullable<NonNullable<Observed<Pod>['spec']>['volumes']>[number];

/** Pods by the claims of their ephemeral volumes. */
const podsByOwnClaim = index(Pod, (pod) =>
  ownVolumes(pod).map(({ name }) => `${pod.metadata.namespace}/${claimName(pod, name)}`),
);

/** Creates the claims of generic ephemeral volumes; the garbage collector deletes them with their pod. */
export function ephemeralVolumeController(): Controller {
  return controller(Pod, {
    name: 'ephemeral-volume',
    queueName: 'ephemeral_volume',
    concurrency: 5,
    component: 'ephemeral_volume',
    when: (pod, old) => old === undefined && ownVolumes(pod).length > 0,
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

async function ensureClaim(pod: Observed<Pod>, volume: Volume, context: ReconcileContext): Promise<void> {
  const { objects, event, metrics } = context;
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
  const { tries, failures } = metrics.shared(claimMetrics);
  tries.add();
  try {
    await claims.create({ metadata: made, spec });
  } catch (error) {
    failures.add();
    fail(`create PVC ${name}: ${(error as Error).message}`, error);
  }
}

function claimMetrics(metrics: MetricRegistry): { readonly tries: Counter; readonly failures: Counter } {
  const counter = (name: string, help: string): Counter =>
    metrics.counter({ name: `ephemeral_volume_controller_${name}_total`, help }).with();
  return {
    tries: counter('create', 'Claims that were to be made for pods.'),
    failures: counter('create_failures', 'Claims for pods that could not be made.'),
  };
}

function ownVolumes(pod: Observed<Pod>): readonly Volume[] {
  return (pod.spec?.volumes ?? []).filter(({ ephemeral }) => ephemeral !== undefined);
}

function claimName(pod: Observed<Pod>, volume: string): string {
  return `${pod.metadata.name}-${volume}`;
}
