import type { OwnKind, OwnObject } from './own-object.ts';

/** Who makes the volumes of the class `standard`. */
export interface StandardStorage {
  readonly provisioner: string;
  /** The service account of `kube-system` that it writes as. */
  readonly account: string;
}

const POLICY = 'rbac.authorization.k8s.io';
const WRITER = ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'];
const READER = ['get', 'list', 'watch'];

/** The default class, and what its provisioner may do: as much as one that runs beside a CSI driver. */
export function standardStorageObjects(storage: StandardStorage | undefined): OwnObject[] {
  if (storage === undefined) return [];
  const { provisioner, account } = storage;
  const metadata = { name: `keelson:${account}` };
  const annotations = { 'storageclass.kubernetes.io/is-default-class': 'true' };
  return [
    {
      kind: { group: 'storage.k8s.io', plural: 'storageclasses', root: '/apis/storage.k8s.io/v1' },
      object: { metadata: { name: 'standard', annotations }, provisioner },
    },
    {
      kind: policyKind('clusterroles'),
      object: {
        metadata,
        rules: [
          { apiGroups: [''], resources: ['persistentvolumes'], verbs: WRITER },
          { apiGroups: [''], resources: ['persistentvolumeclaims'], verbs: READER },
          { apiGroups: ['storage.k8s.io'], resources: ['storageclasses'], verbs: READER },
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
