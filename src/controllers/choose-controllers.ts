import type { ProgramPart } from '../kit/index.ts';

/** The controllers of kube-controller-manager 1.36, each followed by its legacy name if it has one. */
const NAMES = `
  bootstrap-signer-controller bootstrapsigner
  certificatesigningrequest-approving-controller csrapproving
  certificatesigningrequest-cleaner-controller csrcleaner
  certificatesigningrequest-signing-controller csrsigning
  cloud-node-lifecycle-controller cloud-node-lifecycle
  clusterrole-aggregation-controller clusterrole-aggregation
  cronjob-controller cronjob
  daemonset-controller daemonset
  deployment-controller deployment
  device-taint-eviction-controller
  disruption-controller disruption
  endpoints-controller endpoint
  endpointslice-controller endpointslice
  endpointslice-mirroring-controller endpointslicemirroring
  ephemeral-volume-controller ephemeral-volume
  garbage-collector-controller garbagecollector
  horizontal-pod-autoscaler-controller horizontalpodautoscaling
  job-controller job
  kube-apiserver-serving-clustertrustbundle-publisher-controller
  legacy-serviceaccount-token-cleaner-controller legacy-service-account-token-cleaner
  namespace-controller namespace
  node-ipam-controller nodeipam
  node-lifecycle-controller nodelifecycle
  node-route-controller route
  persistentvolume-attach-detach-controller attachdetach
  persistentvolume-binder-controller persistentvolume-binder
  persistentvolume-expander-controller persistentvolume-expander
  persistentvolume-protection-controller pv-protection
  persistentvolumeclaim-protection-controller pvc-protection
  pod-garbage-collector-controller podgc
  podcertificaterequest-cleaner-controller
  podgroup-protection-controller
  replicaset-controller replicaset
  replicationcontroller-controller replicationcontroller
  resourceclaim-controller resource-claim-controller
  resourcepoolstatusrequest-controller
  resourcequota-controller resourcequota
  root-ca-certificate-publisher-controller root-ca-cert-publisher
  selinux-warning-controller
  service-cidr-controller
  service-lb-controller service
  serviceaccount-controller serviceaccount
  serviceaccount-token-controller serviceaccount-token
  statefulset-controller statefulset
  storage-version-migrator-controller
  storageversion-garbage-collector-controller storage-version-gc
  taint-eviction-controller
  token-cleaner-controller tokencleaner
  ttl-after-finished-controller ttl-after-finished
  ttl-controller ttl
  validatingadmissionpolicy-status-controller
  volumeattributesclass-protection-controller
`;

const known = NAMES.trim()
  .split('\n')
  .map((line) => line.trim().split(' '))
  .map(([name = '', alias]) => ({ name, names: alias === undefined ? [name] : [name, alias] }));

/** Controllers that `*` does not include. */
const OFF_BY_DEFAULT = new Set([
  'bootstrap-signer-controller',
  'token-cleaner-controller',
  'selinux-warning-controller',
]);

/** The name of a built-in part in `--controllers`; undefined for other parts. */
export function controllerName(part: Pick<ProgramPart, 'name'>): string | undefined {
  return known.find(({ names }) => names.some((name) => plain(name) === plain(part.name)))?.name;
}

/** Validates a `--controllers` list, in upstream's words; empty if it is valid. */
export function controllerListProblems(list: readonly string[]): readonly string[] {
  return list
    .map((word) => word.replace(/^-/, ''))
    .filter((word) => word !== '*' && canonical(word) === undefined)
    .map((word) => `"${word}" is not in the list of known controllers`);
}

/** Selects built-in controllers by a list of `*`, `name` and `-name`; the first matching entry counts. */
export function chooseControllers(parts: readonly ProgramPart[], list: readonly string[]): readonly ProgramPart[] {
  const there = new Set(parts.map(controllerName));
  const absent = list.filter((word) => word !== '*' && !word.startsWith('-') && !there.has(canonical(word)));
  if (absent.length > 0) throw new Error(`Cannot run controllers that do not exist: ${absent.join(', ')}`);
  const words = list.map((word) => (word.startsWith('-') ? `-${canonical(word.slice(1))}` : (canonical(word) ?? word)));
  return parts.filter((part) => {
    const name = controllerName(part);
    const own = words.find((word) => word === name || word === `-${name}`);
    if (own !== undefined) return own === name;
    return words.includes('*') && !OFF_BY_DEFAULT.has(name ?? '');
  });
}

function canonical(word: string): string | undefined {
  return known.find(({ names }) => names.includes(word))?.name;
}

function plain(name: string): string {
  return name.replace(/-controller$/, '').replaceAll('-', '');
}
