import type { AccessNeed } from '../rbac/access-need.ts';

/** What leader election needs where the app runs: its Lease, and events that tell who leads. */
export const ELECTION_NEEDS: readonly AccessNeed[] = [
  { group: 'coordination.k8s.io', resource: 'leases', verbs: ['get', 'create', 'update'], isLocal: true },
  { group: '', resource: 'events', verbs: ['create', 'patch'], isLocal: true },
];

/** What installing kinds needs. */
export const INSTALLATION_NEED: AccessNeed = {
  group: 'apiextensions.k8s.io',
  resource: 'customresourcedefinitions',
  verbs: ['get', 'list', 'watch', 'create', 'patch'],
};
