import type { FlagDefinitions } from '../flag.ts';
import type { Program } from '../program.ts';
import { IDENTITY, type LocalStorageProgramOptions } from './options.ts';

const GROUP = 'Local storage';
const READ = ['get', 'list', 'watch'];

const quotas = {
  type: 'string',
  value: 'required|none',
  default: 'required',
  help: 'Limit volumes to their sizes by quotas of ext4, xfs or btrfs; none makes sizes wishes that nothing enforces',
} as const;

const standalone: FlagDefinitions = {
  'hostname-override': {
    type: 'string',
    value: 'NAME',
    group: GROUP,
    help: 'Name of the node (default: the name of the machine)',
  },
  folder: {
    type: 'string',
    value: 'PATH',
    default: '/var/lib/keelson/local',
    group: GROUP,
    help: 'Where the volumes are; best on a file system of its own',
  },
  quotas: { ...quotas, group: GROUP },
  'root-dir': {
    type: 'string',
    value: 'PATH',
    default: '/var/lib/kubelet',
    group: GROUP,
    help: "The folder of the node's agent, where the driver registers",
  },
  'class-name': {
    type: 'string',
    value: 'NAME',
    default: 'local',
    group: GROUP,
    help: 'The StorageClass that is created where it is missing; =none for no class',
  },
  'capacity-namespace': {
    type: 'string',
    value: 'NAME',
    default: 'kube-system',
    group: GROUP,
    help: 'Namespace of the CSIStorageCapacity objects that tell the scheduler what the node has free',
  },
  'capacity-poll-interval': {
    type: 'string',
    value: 'DURATION',
    default: '1m',
    group: GROUP,
    help: 'How often these are brought up to date',
  },
  'health-address': {
    type: 'string',
    value: 'ADDRESS:PORT',
    default: '127.0.0.1:10262',
    group: GROUP,
    help: 'Where to serve /healthz, /readyz and /metrics; =none for nowhere',
  },
};

/** Gives claims folders of the disk of the node that it runs on. */
export const program: Program<LocalStorageProgramOptions> = {
  name: 'local-storage',
  isOnePerCluster: false,
  flags: {
    inCluster: {
      'local-storage': {
        type: 'string',
        value: 'FOLDER',
        group: 'Storage',
        help: 'Give claims of the class local folders below this one, on the node with real containers (default: no such class)',
      },
      'local-storage-quotas': { ...quotas, group: 'Storage' },
    },
    standalone,
  },
  help: {
    common: {
      'Local storage': ['kubeconfig', 'hostname-override', 'folder', 'quotas', 'root-dir', 'class-name'],
      'Health and logs': ['health-address', 'v'],
    },
    examples: [
      ['keelson local-storage --kubeconfig local.kubeconfig --folder /disks/volumes', "serve the node's disk"],
      ['keelson local-storage --kubeconfig local.kubeconfig --quotas none', 'on a file system without quotas'],
    ],
  },
  access: {
    identity: IDENTITY,
    rules: [
      { apiGroups: [''], resources: ['nodes', 'pods'], verbs: READ },
      { apiGroups: [''], resources: ['secrets'], verbs: ['get'] },
      { apiGroups: [''], resources: ['persistentvolumes'], verbs: [...READ, 'create', 'update', 'patch', 'delete'] },
      { apiGroups: [''], resources: ['persistentvolumeclaims'], verbs: [...READ, 'update', 'patch'] },
      { apiGroups: [''], resources: ['persistentvolumeclaims/status'], verbs: ['patch'] },
      { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
      { apiGroups: ['storage.k8s.io'], resources: ['storageclasses', 'csidrivers'], verbs: [...READ, 'create'] },
      { apiGroups: ['storage.k8s.io'], resources: ['csinodes', 'volumeattributesclasses'], verbs: READ },
      { apiGroups: ['storage.k8s.io'], resources: ['volumeattachments'], verbs: [...READ, 'patch'] },
      { apiGroups: ['storage.k8s.io'], resources: ['volumeattachments/status'], verbs: ['patch'] },
      {
        apiGroups: ['storage.k8s.io'],
        resources: ['csistoragecapacities'],
        verbs: [...READ, 'create', 'update', 'delete'],
      },
    ],
  },
  isWanted: ({ realNode, localStorage }) => realNode !== undefined && localStorage !== undefined,
  load: async () => (await import('./local-storage.ts')).body,
};
