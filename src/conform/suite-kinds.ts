import { brokerKind } from './broker/broker-kind.ts';
import { devicePluginKind } from './device-plugin/device-plugin-kind.ts';
import { draKind } from './dra/dra-kind.ts';
import type { SuiteKind } from './suite-request.ts';

/** All suites: a folder each, and a line here. */
export const suiteKinds: readonly SuiteKind[] = [
  {
    kind: 'cni',
    summary: 'Network plugins, by the specification of CNI (needs Linux and root)',
    synopsis: '-- PLUGIN [ARGUMENT…]',
    flags: {
      config: { type: 'string', value: 'FILE', help: 'cni: the configuration of the plugin (default: its type alone)' },
      'plugin-kind': {
        type: 'string',
        value: 'KIND',
        default: 'interface',
        help: 'cni: interface, chained (works on the interface of another plugin) or ipam (manages addresses for another)',
      },
      'cni-version': {
        type: 'string',
        value: 'VERSION',
        help: 'cni: the version to speak (default: the newest that the plugin supports)',
      },
      'plugin-path': {
        type: 'string',
        value: 'DIR:…',
        help: 'cni: folders of plugins that it calls itself (default: CNI_PATH, or the folder of the plugin)',
      },
      ifname: { type: 'string', value: 'NAME', default: 'eth0', help: 'cni: the interface in containers' },
      state: {
        type: 'string',
        value: 'DIR,…',
        multiple: true,
        help: 'cni: folders in which the plugin keeps files, to be searched for what is left',
      },
      setup: {
        type: 'string',
        value: 'SCRIPT',
        help: 'cni: shell commands for the namespace that stands for the machine, such as those that make an uplink',
      },
      concurrency: {
        type: 'string',
        value: 'N',
        default: '20',
        help: 'cni: containers that are added at the same time',
      },
    },
    load: async () => (await import('./cni/cni-suite.ts')).cniSuiteFor,
  },
  {
    kind: 'csi',
    summary:
      'Storage drivers: what csi-sanity does not ask. ENDPOINT is unix:///…; a COMMAND is started, with its socket in CSI_ENDPOINT and for {endpoint} or {socket}, and killed',
    synopsis: '-- ENDPOINT | COMMAND [ARGUMENT…]',
    flags: {
      'volume-parameters': {
        type: 'string',
        value: 'KEY=VALUE,…',
        multiple: true,
        help: 'csi: parameters of volumes, as in a StorageClass',
      },
      'mutable-parameters': {
        type: 'string',
        value: 'KEY=VALUE,…',
        multiple: true,
        help: 'csi: parameters that volumes can be changed to, as in a VolumeAttributesClass (default: changes are not judged)',
      },
      'volume-secrets': { type: 'string', value: 'KEY=VALUE,…', multiple: true, help: 'csi: secrets of volumes' },
      'volume-bytes': { type: 'string', value: 'N', default: String(1024 ** 3), help: 'csi: size of volumes' },
      'calls-at-once': { type: 'string', value: 'N', default: '10', help: 'csi: calls that are made at the same time' },
      'driver-state': {
        type: 'string',
        value: 'DIR,…',
        multiple: true,
        help: 'csi: folders in which the driver keeps volumes and files, to be searched for what is left',
      },
    },
    load: async () => (await import('./csi/csi-suite.ts')).csiSuiteFor,
  },
  devicePluginKind,
  draKind,
  brokerKind,
];
