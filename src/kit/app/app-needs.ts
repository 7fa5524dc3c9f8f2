import type { AccessNeed } from '../rbac/access-need.ts';

/** The access that leader election needs in the app's namespace: its Lease, and events that say who leads. */
export const ELECTION_NEEDS: readonly AccessNeed[] = [
  { group: 'coordination.k8s.io', resource: 'leases', verbs: ['get', 'create', 'update'], isLocal: true },
  { group: '', resource: 'events', verbs: ['create', 'patch'], isLocal: true },
];

/** The access that installing kinds needs. */
export const INSTALLATION_NEED: AccessNeed = {
  group: 'apiextensions.k8s.io',
  resource: 'customresourcedefinitions',
  verbs: ['get', 'list', 'watch', 'create', 'patch'],
};
