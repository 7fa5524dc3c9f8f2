import type { SuiteKind } from '../suite-request.ts';

export const devicePluginKind: SuiteKind = {
  kind: 'device-plugin',
  summary: 'Device plugins, by the device plugin API v1beta1 (needs neither root nor devices)',
  synopsis: '-- PLUGIN [ARGUMENT…]   ("{dir}" stands for the folder of the sockets, "{root}" for the folder above)',
  flags: {
    'device-plugin-dir': {
      type: 'string',
      value: 'DIR',
      help: 'device-plugin: the folder of the sockets, for plugins that know no other (default: a new one)',
    },
    'answer-within': {
      type: 'string',
      value: 'DURATION',
      default: '30s',
      help: 'device-plugin: how long the plugin may take to register, to list its devices and to stop',
    },
    'break-device': {
      type: 'string',
      value: 'SCRIPT',
      help: 'device-plugin: shell commands that make a device unhealthy, for the cases about health',
    },
    'repair-device': {
      type: 'string',
      value: 'SCRIPT',
      help: 'device-plugin: shell commands that make it healthy again',
    },
  },
  load: async () => (await import('./device-plugin-suite.ts')).devicePluginSuiteFor,
};
