import { PersistentVolume } from '../../client/index.ts';
import type { Controller } from '../../kit/index.ts';
import { protection } from './protection.ts';

/** Blocks the deletion of volumes that are bound to a claim. */
export function volumeProtection(): Controller {
  return protection(PersistentVolume, {
    name: 'persistentvolume-protection-controller',
    queueName: 'pvprotection',
    finalizer: 'kubernetes.io/pv-protection',
    isUsed: ({ status }) => status?.phase === 'Bound',
  });
}
