import type { AnsweredObject } from '../journal.ts';

/** The annotation by which clients of older versions elect a leader with a ConfigMap or Endpoints, besides a Lease or instead of one. */
const LEADER = 'control-plane.alpha.kubernetes.io/leader';

/** Whether an object exists only for the election of a leader. */
export function isElectionLock({ metadata }: Pick<AnsweredObject, 'metadata'>): boolean {
  return metadata?.annotations?.[LEADER] !== undefined;
}

/** A merge patch after which another process may lead at once. */
export function releaseOf(resource: string): object {
  const released = { holderIdentity: '', leaseDurationSeconds: 1 };
  if (resource === 'leases') return { spec: released };
  return { metadata: { annotations: { [LEADER]: JSON.stringify(released) } } };
}
