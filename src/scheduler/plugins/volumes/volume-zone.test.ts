import { expect, test } from 'vitest';
import type { KubernetesObject } from '../../../client/index.ts';
import { Snapshot } from '../../cache/snapshot.ts';
import { Cycle } from '../../framework/cycle.ts';
import { listerOf, nodeInfoOf, podInfoOf, sharedContext } from '../../testing/objects.ts';
import { volumeZone } from './volume-zone.ts';

const ZONE = 'topology.kubernetes.io/zone';

const claim = (spec: object): KubernetesObject =>
  ({ kind: 'PersistentVolumeClaim', metadata: { name: 'data', namespace: 'default' }, spec }) as KubernetesObject;
const volume = (labels: Record<string, string>): KubernetesObject => ({
  kind: 'PersistentVolume',
  metadata: { name: 'disk', labels },
});
const storageClass = (volumeBindingMode: string): KubernetesObject =>
  ({ kind: 'StorageClass', metadata: { name: 'fast' }, volumeBindingMode }) as KubernetesObject;
const bound = claim({ volumeName: 'disk' });

/** The plugin's rejection of a pod with the claim, in PreFilter or for a node. */
function verdict(objects: readonly KubernetesObject[], labels: Record<string, string> = {}): string {
  const plugin = volumeZone(sharedContext({ objects: (kind) => listerOf(kind, objects) }));
  const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }];
  const cycle = new Cycle(podInfoOf({ volumes }));
  const before = plugin.preFilter?.(cycle, new Snapshot());
  if (before === 'skip') return 'skip';
  const rejection = before ?? plugin.filter?.(cycle, nodeInfoOf({ labels }));
  return rejection === undefined ? 'may go there' : (rejection as { reasons: readonly string[] }).reasons.join('; ');
}

test.each<[string, readonly KubernetesObject[], string]>([
  ['a claim that is missing', [], 'persistentvolumeclaim "data" not found'],
  ['a volume that is missing', [bound], 'persistentvolume "disk" not found'],
  ['a volume without a zone', [bound, volume({})], 'skip'],
  ['a zone that cannot be read', [bound, volume({ [ZONE]: 'a__' })], 'skip'],
  ['no volume and no class', [claim({})], 'PersistentVolumeClaim had no pv name and storageClass name'],
  ['a class that is missing', [claim({ storageClassName: 'fast' })], 'storageclass.storage.k8s.io "fast" not found'],
  [
    'no volume yet, where it must be there',
    [claim({ storageClassName: 'fast' }), storageClass('Immediate')],
    'PersistentVolume had no name',
  ],
  [
    'no volume yet, where it waits for the pod',
    [claim({ storageClassName: 'fast' }), storageClass('WaitForFirstConsumer')],
    'skip',
  ],
])('%s', (_what, objects, expected) => expect(verdict(objects)).toBe(expected));

test.each<[string, Record<string, string>, string]>([
  ['a node without zones', {}, 'may go there'],
  ['the zone of the volume', { [ZONE]: 'a' }, 'may go there'],
  ['another zone of the volume', { [ZONE]: 'b' }, 'may go there'],
  ['another zone', { [ZONE]: 'c' }, 'node(s) had no available volume zone'],
  ['a region only', { 'topology.kubernetes.io/region': 'r' }, 'node(s) had no available volume zone'],
])('a volume of two zones, and %s', (_what, labels, expected) =>
  expect(verdict([bound, volume({ [ZONE]: 'a__b' })], labels)).toBe(expected),
);
