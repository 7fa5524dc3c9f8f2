import type { Identity } from '../../in-process-client.ts';
import type { MachineNodeOptions } from '../machine-node/options.ts';

/** Whether sizes of local volumes are limits. */
export type LocalQuotas = 'required' | 'none';

export interface LocalStorageProgramOptions extends MachineNodeOptions {
  /** Volumes that are folders of the disk of the node with real containers; default there are none. */
  readonly localStorage?: { readonly folder: string; readonly quotas: LocalQuotas };
}

export const IDENTITY: Identity = { user: 'system:keelson:local-storage', groups: [] };
