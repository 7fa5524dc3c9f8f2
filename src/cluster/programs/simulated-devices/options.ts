import type { SimulatedDevices } from '../../../simulated/index.ts';
import type { Identity } from '../../in-process-client.ts';

export interface SimulatedDevicesOptions {
  /** Devices of simulated nodes that claims can ask for: the number on each node, by driver; default none. */
  readonly simulatedDevices?: SimulatedDevices;
}

export const IDENTITY: Identity = { user: 'system:keelson:simulated-devices', groups: [] };
