import type { Identity } from '../../in-process-client.ts';

export interface CsiControllerOptions {
  /** Sockets of CSI drivers whose volumes the cluster creates, attaches, expands and copies; default none. */
  readonly csiDrivers?: readonly string[];
}

export const IDENTITY: Identity = { user: 'system:keelson:csi-controller', groups: [] };
