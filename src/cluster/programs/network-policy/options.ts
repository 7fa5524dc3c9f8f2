import type { Identity } from '../../in-process-client.ts';
import type { MachineNodeOptions } from '../machine-node/options.ts';

export interface NetworkPolicyOptions extends MachineNodeOptions {
  /** Enforces NetworkPolicies on the node with real containers; default true. */
  readonly networkPolicy?: boolean;
}

export const IDENTITY: Identity = { user: 'system:keelson:network-policy', groups: [] };
