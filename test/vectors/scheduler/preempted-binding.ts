import type { Client, Pod } from '../../../src/client/index.ts';

/** What can be seen of a pod that waits for its volume and whose room a more important one gets. */
export interface PreemptedBinding {
  /** While it waits. */
  readonly nominated: string | undefined;
  /** Once its deletion was requested. */
  readonly waiting: {
    readonly conditions: readonly string[];
    readonly nominated: string | undefined;
    readonly isDeleted: boolean;
  };
  /** The node of the other pod. */
  readonly urgent: string | undefined;
  /** Reasons and messages of the events about both, in the order of the alphabet. */
  readonly events: readonly string[];
}

export const NODE = 'n1';
export const ROOM = { cpu: '2', memory: '8Gi', pods: '10' };

/** A claim that is never provisioned keeps a pod waiting before it is bound; then its space is needed. */
export async function preemptBinding(client: Client, pause: () => Promise<void>): Promise<PreemptedBinding> {
  const pods = client.core.v1.pods.namespace('default');
  const until = async <T>(look: () => Promise<T | undefined>): Promise<T> => {
    for (;;) {
      const found = await look();
      if (found !== undefined) return found;
      await pause();
    }
  };
  await client.scheduling.v1.priorityclasses.create({ metadata: { name: 'high' }, value: 1000 });
  await client.storage.v1.storageclasses.create({
    metadata: { name: 'slow' },
    provisioner: 'example.com/nobody',
    volumeBindingMode: 'WaitForFirstConsumer',
  });
  const claims = client.core.v1.persistentvolumeclaims.namespace('default');
  const resources = { requests: { storage: '1Gi' } };
  await claims.create({
    metadata: { name: 'data' },
    spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'slow', resources },
  });
  await pods.create(podOf('waiting', { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }] }));
  const nominated = await until(async () => (await pods.get('waiting')).status?.nominatedNodeName);
  await until(async () => (await claims.get('data')).metadata.annotations?.['volume.kubernetes.io/selected-node']);
  await pods.create(podOf('urgent', { priorityClassName: 'high' }));
  const urgent = await until(async () => (await pods.get('urgent')).spec?.nodeName);
  const shown = await until(async () => {
    const { status, metadata } = await pods.get('waiting');
    const conditions = (status?.conditions ?? []).map(({ type, reason, message }) => `${type} ${reason} ${message}`);
    if (conditions.length === 0) return undefined;
    return {
      conditions,
      nominated: status?.nominatedNodeName,
      isDeleted: metadata.deletionTimestamp !== undefined,
    };
  });
  const events = await until(async () => {
    const { items } = await client.core.v1.events.namespace('default').list();
    const texts = items.map(({ reason, message = '' }) => `${reason}: ${message.replace(/[0-9a-f-]{36}/, 'UID')}`);
    return texts.some((text) => text.startsWith('Preempted')) ? texts.sort() : undefined;
  });
  return { nominated, waiting: shown, urgent, events: events.filter((text) => !text.includes('Insufficient')) };
}

function podOf(name: string, spec: Partial<Pod['spec']>): Pod {
  const containers = [{ name: 'main', image: 'image', resources: { requests: { cpu: '1500m' } } }];
  return { metadata: { name }, spec: { containers, ...spec } };
}
