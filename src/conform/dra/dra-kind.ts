import type { SuiteKind } from '../suite-request.ts';

export const draKind: SuiteKind = {
  kind: 'dra',
  summary: 'DRA drivers, by the protocols of dynamic resource allocation (needs neither root nor devices)',
  synopsis:
    '-- DRIVER [ARGUMENT…]   ("{root}" stands for the folder of the node\'s agent, "{registry}", "{plugins}" and "{cdi}" for folders in it, "{kubeconfig}" and "{node}" for the cluster and its node)',
  flags: {
    'driver-within': {
      type: 'string',
      value: 'DURATION',
      default: '1m',
      help: 'dra: how long the driver may take to register, to publish its devices (drivers in Go wait 30 s after their own changes) and to stop',
    },
    'break-dra-device': {
      type: 'string',
      value: 'SCRIPT',
      help: 'dra: shell commands that make a device unhealthy, for the cases about health',
    },
    'repair-dra-device': {
      type: 'string',
      value: 'SCRIPT',
      help: 'dra: shell commands that make it healthy again',
    },
  },
  load: async () => (await import('./dra-suite.ts')).draSuiteFor,
};
