import type { Identity } from '../in-process-client.ts';

export const SCHEDULER: Identity = { user: 'system:kube-scheduler', groups: [] };

/** The proxy of a node: its role comes with every cluster. */
export const PROXY: Identity = { user: 'system:kube-proxy', groups: [] };

/** Parts that a caller adds to the process are trusted: no role says what they need. */
export const TRUSTED: Identity = { user: 'system:kube-controller-manager', groups: ['system:masters'] };
