import type { Program } from '../program.ts';
import { IDENTITY, type SimulatedDevicesOptions } from './options.ts';

/** Publishes devices of the simulated nodes. */
export const program: Program<SimulatedDevicesOptions> = {
  name: 'simulated-devices',
  isOnePerCluster: true,
  flags: {
    inCluster: {
      'simulated-devices': {
        type: 'string',
        multiple: true,
        value: 'DRIVER=N',
        group: 'Nodes',
        help: 'Put N devices of a driver on each simulated node, for claims of the device class with its name (default none)',
      },
    },
  },
  access: {
    identity: IDENTITY,
    rules: [
      { apiGroups: [''], resources: ['nodes'], verbs: ['get', 'list', 'watch'] },
      {
        apiGroups: ['resource.k8s.io'],
        resources: ['deviceclasses', 'resourceslices'],
        verbs: ['get', 'list', 'watch', 'create'],
      },
      { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'create', 'update'] },
      { apiGroups: ['', 'events.k8s.io'], resources: ['events'], verbs: ['create', 'patch'] },
    ],
  },
  isWanted: ({ simulatedDevices }) => simulatedDevices !== undefined,
  load: async () => (await import('./simulated-devices.ts')).body,
};
