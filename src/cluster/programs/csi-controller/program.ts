import type { FlagDefinitions } from '../flag.ts';
import type { Program } from '../program.ts';
import { type CsiControllerOptions, IDENTITY } from './options.ts';
import { sidecarFlags } from './upstream-flags.ts';

const DRIVERS = 'Drivers';
const VOLUMES = 'Volumes';
const SNAPSHOTS = 'Snapshots';
const CAPACITY = 'Capacity';
const NODES = 'A process for each node';
const ELECTION = 'Leader election';

const standalone: FlagDefinitions = {
  'csi-address': {
    type: 'string',
    multiple: true,
    value: 'PATH,…',
    group: DRIVERS,
    help: 'Sockets of CSI drivers (default /run/csi/socket)',
  },
  timeout: {
    type: 'string',
    value: 'DURATION',
    default: '15s',
    group: DRIVERS,
    help: 'How long a call of a driver may take',
  },
  'worker-threads': {
    type: 'string',
    value: 'N',
    default: '10',
    group: DRIVERS,
    help: 'Calls of a driver at once, for each kind of work',
  },
  'retry-interval-start': {
    type: 'string',
    value: 'DURATION',
    default: '1s',
    group: DRIVERS,
    help: 'Time until a refused call is repeated; it doubles each time',
  },
  'retry-interval-max': {
    type: 'string',
    value: 'DURATION',
    default: '5m',
    group: DRIVERS,
    help: 'The longest such time',
  },
  'feature-gates': {
    type: 'string',
    multiple: true,
    value: 'NAME=true|false,…',
    group: DRIVERS,
    help: 'CSIVolumeGroupSnapshot=true takes snapshots of groups of volumes; Topology=false treats volumes as accessible from everywhere; the other features of the sidecars are as they are by default',
  },
  'http-endpoint': {
    type: 'string',
    value: 'ADDRESS:PORT',
    group: DRIVERS,
    help: 'Where to serve /healthz, /readyz and /metrics, such as :8080 (default: nowhere)',
  },
  'volume-name-prefix': {
    type: 'string',
    value: 'TEXT',
    default: 'pvc',
    group: VOLUMES,
    help: 'Volumes are named after this and the uid of the claim',
  },
  'volume-name-uuid-length': {
    type: 'string',
    value: 'N',
    default: '-1',
    group: VOLUMES,
    help: 'Characters of the uid that are used, without dashes; -1 for all of it, with dashes',
  },
  'default-fstype': {
    type: 'string',
    value: 'NAME',
    group: VOLUMES,
    help: "File system of volumes whose class names none (default: the driver's choice)",
  },
  'extra-create-metadata': {
    type: 'boolean',
    default: false,
    group: VOLUMES,
    help: 'Tell drivers the names of claims, volumes and snapshots',
  },
  'extra-modify-metadata': {
    type: 'boolean',
    default: false,
    group: VOLUMES,
    help: 'Tell drivers the names of claims and volumes that are modified',
  },
  'strict-topology': {
    type: 'boolean',
    default: false,
    group: VOLUMES,
    help: 'Tell drivers only the place of the selected node, and not all places',
  },
  'immediate-topology': {
    type: 'boolean',
    default: true,
    group: VOLUMES,
    help: 'Tell drivers all places for claims that are bound at once',
  },
  'controller-publish-readonly': {
    type: 'boolean',
    default: false,
    group: VOLUMES,
    help: 'Mark volumes of ReadOnlyMany claims as read-only',
  },
  'prevent-volume-mode-conversion': {
    type: 'boolean',
    default: true,
    group: VOLUMES,
    help: 'Volumes from snapshots keep the volume mode, unless the content allows a change',
  },
  'handle-volume-inuse-error': {
    type: 'boolean',
    default: true,
    group: VOLUMES,
    help: 'After an expansion failed because a pod uses the volume, wait until none does',
  },
  'reconcile-sync': {
    type: 'string',
    value: 'DURATION',
    default: '1m',
    group: VOLUMES,
    help: 'How often attachments are compared with what the driver lists',
  },
  'install-snapshot-crds': {
    type: 'boolean',
    default: true,
    group: SNAPSHOTS,
    help: 'Create the kinds VolumeSnapshot, VolumeSnapshotContent and VolumeSnapshotClass where they are missing',
  },
  'snapshot-controller': {
    type: 'boolean',
    default: true,
    group: SNAPSHOTS,
    help: 'Bind the snapshots of all drivers; =false where the program snapshot-controller runs without leader election',
  },
  'snapshot-name-prefix': {
    type: 'string',
    value: 'TEXT',
    default: 'snapshot',
    group: SNAPSHOTS,
    help: 'Snapshots are named after this and the uid of the VolumeSnapshot',
  },
  'snapshot-name-uuid-length': {
    type: 'string',
    value: 'N',
    default: '-1',
    group: SNAPSHOTS,
    help: 'Characters of the uid that are used, without dashes; -1 for all of it, with dashes',
  },
  'groupsnapshot-name-prefix': {
    type: 'string',
    value: 'TEXT',
    default: 'groupsnapshot',
    group: SNAPSHOTS,
    help: 'Groups of snapshots are named after this and the uid of the VolumeGroupSnapshot',
  },
  'groupsnapshot-name-uuid-length': {
    type: 'string',
    value: 'N',
    default: '-1',
    group: SNAPSHOTS,
    help: 'Characters of the uid that are used, without dashes; -1 for all of it, with dashes',
  },
  'enable-capacity': {
    type: 'boolean',
    default: false,
    group: CAPACITY,
    help: 'Publish what drivers have free as CSIStorageCapacity objects',
  },
  'capacity-namespace': {
    type: 'string',
    value: 'NAME',
    default: 'kube-system',
    group: CAPACITY,
    help: 'Namespace of these objects',
  },
  'capacity-poll-interval': {
    type: 'string',
    value: 'DURATION',
    default: '1m',
    group: CAPACITY,
    help: 'How often drivers are asked',
  },
  'capacity-for-immediate-binding': {
    type: 'boolean',
    default: false,
    group: CAPACITY,
    help: 'Also for classes whose claims are bound at once',
  },
  'capacity-ownerref-level': {
    type: 'string',
    value: 'N',
    group: CAPACITY,
    help: 'What owns these objects: 0 the pod that POD_NAME and NAMESPACE in the environment name, 1 its controller, 2 the controller of that; -1 nothing (default 1 in a pod; elsewhere the node with --node-deployment, else nothing)',
  },
  'node-deployment': {
    type: 'boolean',
    default: false,
    group: NODES,
    help: 'Work only for the volumes of the node that NODE_NAME in the environment or --node-name names; the other nodes have processes of their own',
  },
  'node-name': {
    type: 'string',
    value: 'NAME',
    group: NODES,
    help: 'The node of --node-deployment (default: NODE_NAME in the environment)',
  },
  'node-deployment-immediate-binding': {
    type: 'boolean',
    default: true,
    group: NODES,
    help: 'Compete with the processes of other nodes for claims that are bound at once',
  },
  'node-deployment-base-delay': {
    type: 'string',
    value: 'DURATION',
    default: '20s',
    group: NODES,
    help: 'The longest time that a process waits before it takes such a claim, at first; it doubles each time',
  },
  'node-deployment-max-delay': {
    type: 'string',
    value: 'DURATION',
    default: '1m',
    group: NODES,
    help: 'The longest such time',
  },
  'enable-distributed-snapshotting': {
    type: 'boolean',
    default: false,
    group: NODES,
    help: 'Label snapshots with the node of their volume, whose process takes them; always with --node-deployment',
  },
  'leader-election': {
    type: 'boolean',
    default: false,
    group: ELECTION,
    help: "Work for a driver only while no other process does: the lease has the driver's name",
  },
  'leader-election-namespace': {
    type: 'string',
    value: 'NAME',
    default: 'kube-system',
    group: ELECTION,
    help: 'Namespace of the leases',
  },
  'leader-election-lease-duration': {
    type: 'string',
    value: 'DURATION',
    default: '15s',
    group: ELECTION,
    help: 'Others take over a lease that was not renewed for this long',
  },
  'leader-election-renew-deadline': {
    type: 'string',
    value: 'DURATION',
    default: '10s',
    group: ELECTION,
    help: 'The leader steps down after failing to renew the lease for this long',
  },
  'leader-election-retry-period': {
    type: 'string',
    value: 'DURATION',
    default: '5s',
    group: ELECTION,
    help: 'Time between attempts',
  },
};

const READ = ['get', 'list', 'watch'];

/** Creates, attaches, expands, changes and copies the volumes of CSI drivers, in place of their sidecars. */
export const program: Program<CsiControllerOptions> = {
  name: 'keelson-csi-controller',
  isOnePerCluster: false,
  flags: {
    inCluster: {
      'csi-address': {
        type: 'string',
        multiple: true,
        value: 'PATH,…',
        group: 'Storage',
        help: 'Sockets of CSI drivers whose volumes the cluster creates, attaches, expands and copies',
      },
    },
    standalone,
    upstream: { inCluster: [], standalone: sidecarFlags },
  },
  help: {
    common: {
      Drivers: ['kubeconfig', 'csi-address', 'timeout', 'leader-election'],
      Volumes: ['default-fstype', 'extra-create-metadata', 'strict-topology', 'enable-capacity'],
      Snapshots: ['install-snapshot-crds', 'snapshot-controller'],
      'Health and logs': ['http-endpoint', 'v'],
    },
    examples: [
      ['keelson csi-controller --csi-address /csi/csi.sock --kubeconfig admin.kubeconfig', 'work for one driver'],
      ['keelson csi-controller --csi-address /a/csi.sock --csi-address /b/csi.sock', 'work for two'],
      ['keelson csi-controller --node-deployment --node-name n1 --enable-capacity', 'work for the volumes of a node'],
    ],
  },
  access: {
    identity: IDENTITY,
    rules: [
      { apiGroups: [''], resources: ['nodes', 'pods'], verbs: READ },
      { apiGroups: ['apps'], resources: ['replicasets', 'daemonsets', 'statefulsets'], verbs: ['get'] },
      { apiGroups: [''], resources: ['secrets'], verbs: ['get'] },
      { apiGroups: [''], resources: ['persistentvolumes'], verbs: [...READ, 'create', 'update', 'patch', 'delete'] },
      { apiGroups: [''], resources: ['persistentvolumeclaims'], verbs: [...READ, 'update', 'patch'] },
      { apiGroups: [''], resources: ['persistentvolumeclaims/status'], verbs: ['patch'] },
      { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
      {
        apiGroups: ['storage.k8s.io'],
        resources: ['storageclasses', 'csinodes', 'volumeattributesclasses'],
        verbs: READ,
      },
      { apiGroups: ['storage.k8s.io'], resources: ['volumeattachments'], verbs: [...READ, 'patch'] },
      { apiGroups: ['storage.k8s.io'], resources: ['volumeattachments/status'], verbs: ['patch'] },
      {
        apiGroups: ['storage.k8s.io'],
        resources: ['csistoragecapacities'],
        verbs: [...READ, 'create', 'update', 'delete'],
      },
      { apiGroups: ['snapshot.storage.k8s.io'], resources: ['volumesnapshotclasses'], verbs: READ },
      {
        apiGroups: ['snapshot.storage.k8s.io'],
        resources: ['volumesnapshots', 'volumesnapshotcontents'],
        verbs: [...READ, 'create', 'update', 'patch', 'delete'],
      },
      {
        apiGroups: ['snapshot.storage.k8s.io'],
        resources: ['volumesnapshots/status', 'volumesnapshotcontents/status'],
        verbs: ['patch'],
      },
      { apiGroups: ['groupsnapshot.storage.k8s.io'], resources: ['volumegroupsnapshotclasses'], verbs: READ },
      {
        apiGroups: ['groupsnapshot.storage.k8s.io'],
        resources: ['volumegroupsnapshots', 'volumegroupsnapshotcontents'],
        verbs: [...READ, 'create', 'update', 'patch', 'delete'],
      },
      {
        apiGroups: ['groupsnapshot.storage.k8s.io'],
        resources: ['volumegroupsnapshots/status', 'volumegroupsnapshotcontents/status'],
        verbs: ['patch'],
      },
      {
        apiGroups: ['apiextensions.k8s.io'],
        resources: ['customresourcedefinitions'],
        verbs: ['get', 'create'],
      },
    ],
  },
  isWanted: ({ csiDrivers = [] }) => csiDrivers.length > 0,
  load: async () => (await import('./csi-controller.ts')).body,
};
