import type { OwnKind, OwnObject } from './own-object.ts';

/** The driver that creates volumes of the class `standard`. */
export interface StandardStorage {
  readonly provisioner: string;
  /** The service account of `kube-system` that it writes as. */
  readonly account: string;
}

const STORAGE = 'storage.k8s.io';
const POLICY = 'rbac.authorization.k8s.io';
const WRITER = ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'];
const READER = ['get', 'list', 'watch'];

/** The default class, its driver, and the roles of the sidecars, which are those beside any CSI driver. */
export function standardStorageObjects(storage: StandardStorage): OwnObject[] {
  const { provisioner, account } = storage;
  const metadata = { name: `keelson:${account}` };
  const annotations = { 'storageclass.kubernetes.io/is-default-class': 'true' };
  return [
    {
      kind: { group: STORAGE, plural: 'storageclasses', root: `/apis/${STORAGE}/v1` },
      object: { metadata: { name: 'standard', annotations }, provisioner, allowVolumeExpansion: true },
    },
    {
      kind: { group: STORAGE, plural: 'csidrivers', root: `/apis/${STORAGE}/v1` },
      object: { metadata: { name: provisioner }, spec: { attachRequired: true } },
    },
    {
      kind: policyKind('clusterroles'),
      object: {
        metadata,
        rules: [
          { apiGroups: [''], resources: ['persistentvolumes'], verbs: WRITER },
          { apiGroups: [''], resources: ['nodes'], verbs: READER },
          { apiGroups: [''], resources: ['persistentvolumeclaims'], verbs: [...READER, 'patch'] },
          { apiGroups: [''], resources: ['persistentvolumeclaims/status'], verbs: ['patch'] },
          { apiGroups: [STORAGE], resources: ['storageclasses', 'volumeattributesclasses', 'csinodes'], verbs: READER },
          { apiGroups: [STORAGE], resources: ['volumeattachments'], verbs: [...READER, 'patch'] },
          { apiGroups: [STORAGE], resources: ['volumeattachments/status'], verbs: ['patch'] },
          { apiGroups: ['', 'events.k8s.io'], resources: ['events'], verbs: ['create', 'patch', 'update'] },
        ],
      },
    },
    {
      kind: policyKind('clusterrolebindings'),
      object: {
        metadata,
        roleRef: { apiGroup: POLICY, kind: 'ClusterRole', name: metadata.name },
        subjects: [{ kind: 'ServiceAccount', name: account, namespace: 'kube-system' }],
      },
    },
  ];
}

function policyKind(plural: string): OwnKind {
  return { group: POLICY, plural, root: `/apis/${POLICY}/v1` };
}
