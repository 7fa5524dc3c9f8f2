import type { PluginScenario, Step } from './scenario.ts';

const MERGE = 'application/merge-patch+json';

export const create = (path: string, body: object, more: Partial<Step> = {}): Step => ({
  method: 'POST',
  path,
  body,
  ...more,
});
export const change = (path: string, body: object, more: Partial<Step> = {}): Step => ({
  method: 'PATCH',
  path,
  body,
  type: MERGE,
  ...more,
});

/** A pod that names its pull policy, so that what stands there says what a plugin has done. */
export function pod(spec: object = {}, metadata: object = {}): Step {
  const containers = [{ name: 'c', image: 'i', imagePullPolicy: 'IfNotPresent' }];
  return create('pods', { metadata: { name: 'p', ...metadata }, spec: { containers, ...spec } });
}

const service = (name: string, externalIPs?: string[]): Step =>
  create('services', { metadata: { name }, spec: { ports: [{ port: 80 }], clusterIP: 'None', externalIPs } });

const antiAffinity = (...topologyKeys: string[]): Step =>
  pod({
    affinity: {
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: topologyKeys.map((topologyKey) => ({
          topologyKey,
          labelSelector: { matchLabels: { a: 'b' } },
        })),
      },
    },
  });

const gpus = (...names: string[]): object[] =>
  names.map((name, index) => ({
    name: `c${index}`,
    image: 'i',
    resources: { requests: { [name]: '1' }, limits: { [name]: '1' } },
  }));

const owner = (more: object = {}): object => ({ apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: 'u-1', ...more });
const owned = (...ownerReferences: object[]): object => ({ metadata: { name: 'x', ownerReferences } });

/** What alice may do in her namespace. */
function allowing(...rules: object[]): Step[] {
  const subjects = [{ kind: 'User', name: 'alice', apiGroup: 'rbac.authorization.k8s.io' }];
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r' };
  return [
    create('ROLES', { metadata: { name: 'r' }, rules }),
    create('BINDINGS', { metadata: { name: 'r' }, subjects, roleRef }),
  ];
}

const rule = (resources: string[], ...verbs: string[]): object => ({ apiGroups: [''], resources, verbs });

/** Paths outside the core group are completed with the scenario's namespace. */
function inRbac(scenario: PluginScenario): PluginScenario {
  const rbac = `/apis/rbac.authorization.k8s.io/v1/namespaces/ns-${scenario.name}`;
  const before = scenario.before?.map((step) => ({
    ...step,
    path: step.path.replace('ROLES', `${rbac}/roles`).replace('BINDINGS', `${rbac}/rolebindings`),
  }));
  return { ...scenario, ...(before === undefined ? {} : { before }) };
}

const ALICE = { as: 'alice' };
const maps = (...verbs: string[]): object => rule(['configmaps'], ...verbs);

/** Plugins that are off by default and need no configuration. */
export const unconfigured: readonly PluginScenario[] = [
  { name: 'pull-create', steps: [pod()] },
  {
    name: 'pull-init-and-volumes',
    steps: [
      pod({
        initContainers: [{ name: 'i', image: 'x', imagePullPolicy: 'Never' }],
        volumes: [{ name: 'v', image: { reference: 'r', pullPolicy: 'IfNotPresent' } }],
      }),
    ],
  },
  { name: 'pull-same-images', steps: [pod(), change('pods/p', { metadata: { labels: { a: 'b' } } })] },
  {
    name: 'pull-new-image',
    steps: [
      pod(),
      {
        ...change('pods/p', { spec: { containers: [{ name: 'c', image: 'other' }] } }),
        type: 'application/strategic-merge-patch+json',
      },
    ],
  },
  { name: 'affinity-hostname', steps: [antiAffinity('kubernetes.io/hostname')] },
  { name: 'affinity-zone', steps: [antiAffinity('kubernetes.io/hostname', 'topology.kubernetes.io/zone')] },
  {
    name: 'affinity-generated-name',
    steps: [{ ...antiAffinity('a'), body: { ...antiAffinity('a').body, metadata: { generateName: 'g-' } } }],
  },
  { name: 'extended-one', steps: [pod({ containers: gpus('example.com/gpu') })] },
  { name: 'extended-two', steps: [pod({ containers: gpus('example.com/b', 'example.com/a', 'example.com/b') })] },
  {
    name: 'extended-known',
    steps: [
      pod({
        containers: gpus('example.com/gpu'),
        tolerations: [
          { key: 'example.com/gpu', operator: 'Exists', effect: 'NoSchedule' },
          { key: 'k', operator: 'Exists' },
        ],
      }),
    ],
  },
  {
    name: 'extended-other-effect',
    steps: [
      pod({ containers: gpus('example.com/gpu'), tolerations: [{ key: 'example.com/gpu', operator: 'Exists' }] }),
    ],
  },
  { name: 'extended-none', steps: [pod({ containers: gpus('cpu') })] },
  { name: 'extended-init', steps: [pod({ initContainers: [{ ...gpus('example.com/gpu')[0], name: 'i' }] })] },
  { name: 'external-none', steps: [service('a')] },
  { name: 'external-new', steps: [service('a', ['1.2.3.4'])] },
  { name: 'external-added', steps: [service('a'), change('services/a', { spec: { externalIPs: ['1.2.3.4'] } })] },
  { name: 'owners-create', before: allowing(maps('create')), steps: [create('configmaps', owned(owner()), ALICE)] },
  {
    name: 'owners-create-blocking',
    before: allowing(maps('create')),
    steps: [create('configmaps', owned(owner({ blockOwnerDeletion: true })), ALICE)],
  },
  {
    name: 'owners-create-blocking-allowed',
    before: allowing(maps('create'), rule(['configmaps/finalizers'], 'update')),
    steps: [create('configmaps', owned(owner({ blockOwnerDeletion: true })), ALICE)],
  },
  {
    name: 'owners-unknown-kind',
    before: allowing(maps('create')),
    steps: [create('configmaps', owned(owner({ kind: 'Nothing', blockOwnerDeletion: true })), ALICE)],
  },
  {
    name: 'owners-cluster-scoped',
    before: allowing(maps('create')),
    steps: [create('configmaps', owned(owner({ kind: 'Node', blockOwnerDeletion: true })), ALICE)],
  },
  {
    name: 'owners-added',
    before: [...allowing(maps('get', 'patch')), create('configmaps', { metadata: { name: 'x' } })],
    steps: [change('configmaps/x', { metadata: { ownerReferences: [owner()] } }, ALICE)],
  },
  {
    name: 'owners-added-by-deleter',
    before: [...allowing(maps('get', 'patch', 'delete')), create('configmaps', { metadata: { name: 'x' } })],
    steps: [change('configmaps/x', { metadata: { ownerReferences: [owner()] } }, ALICE)],
  },
  {
    name: 'owners-kept',
    before: [...allowing(maps('get', 'patch')), create('configmaps', owned(owner({ blockOwnerDeletion: true })))],
    steps: [change('configmaps/x', { data: { a: 'b' } }, ALICE)],
  },
  {
    name: 'owners-now-blocking',
    before: [...allowing(maps('get', 'patch', 'delete')), create('configmaps', owned(owner()))],
    steps: [change('configmaps/x', { metadata: { ownerReferences: [owner({ blockOwnerDeletion: true })] } }, ALICE)],
  },
  {
    name: 'owners-removed',
    before: [...allowing(maps('get', 'patch')), create('configmaps', owned(owner()))],
    steps: [change('configmaps/x', { metadata: { ownerReferences: null } }, ALICE)],
  },
  { name: 'owners-master', steps: [create('configmaps', owned(owner({ blockOwnerDeletion: true })))] },
  { name: 'exists-missing', steps: [create('/api/v1/namespaces/nowhere/configmaps', { metadata: { name: 'x' } })] },
].map(inRbac);

const NODE_SELECTOR = 'scheduler.alpha.kubernetes.io/node-selector';
const DEFAULT_TOLERATIONS = 'scheduler.alpha.kubernetes.io/defaultTolerations';
const WHITELIST = 'scheduler.alpha.kubernetes.io/tolerationsWhitelist';
const tolerating = (...tolerations: object[]): Step => pod({ tolerations });
const A = { key: 'a', operator: 'Exists' };
const event = (name: string, namespace: string, more: Partial<Step> = {}): Step =>
  create('events', { metadata: { name }, involvedObject: { kind: 'Pod', namespace, name: 'p' } }, more);

/** Plugins with a configuration; see `configurations`. */
export const configured: readonly PluginScenario[] = [
  { name: 'selector-default', steps: [pod()] },
  { name: 'selector-merged', steps: [pod({ nodeSelector: { disk: 'ssd' } })] },
  { name: 'selector-conflict', steps: [pod({ nodeSelector: { env: 'prod' } })] },
  { name: 'selector-annotation', annotations: { [NODE_SELECTOR]: 'zone=a, rack = 7' }, steps: [pod()] },
  {
    name: 'selector-annotation-conflict',
    annotations: { [NODE_SELECTOR]: 'zone=a' },
    steps: [pod({ nodeSelector: { zone: 'b' } }, { name: undefined, generateName: 'g-' })],
  },
  { name: 'selector-empty-annotation', annotations: { [NODE_SELECTOR]: '' }, steps: [pod()] },
  { name: 'selector-bad-annotation', annotations: { [NODE_SELECTOR]: 'zone' }, steps: [pod()] },
  { name: 'selector-bad-key', annotations: { [NODE_SELECTOR]: 'a b=c' }, steps: [pod()] },
  { name: 'selector-bad-value', annotations: { [NODE_SELECTOR]: 'a=b c' }, steps: [pod()] },
  { name: 'selector-whitelisted', steps: [pod({ nodeSelector: { disk: 'ssd' } })] },
  { name: 'selector-not-whitelisted', steps: [pod({ nodeSelector: { disk: 'hdd' } })] },
  { name: 'tolerations-cluster', steps: [pod()] },
  { name: 'tolerations-cluster-refused', steps: [tolerating({ key: 'forbidden', operator: 'Exists' })] },
  {
    name: 'tolerations-cluster-allowed',
    steps: [tolerating({ key: 'allowed', operator: 'Equal', value: 'x', effect: 'NoSchedule' })],
  },
  {
    name: 'tolerations-default',
    annotations: { [DEFAULT_TOLERATIONS]: JSON.stringify([A]), [WHITELIST]: '' },
    steps: [pod()],
  },
  {
    name: 'tolerations-own-whitelist',
    annotations: {
      [DEFAULT_TOLERATIONS]: '',
      [WHITELIST]: JSON.stringify([A, { operator: 'Exists', effect: 'NoExecute' }]),
    },
    steps: [tolerating(A), tolerating({ key: 'b', operator: 'Exists' })],
  },
  { name: 'tolerations-bad-json', annotations: { [DEFAULT_TOLERATIONS]: '[{' }, steps: [pod()] },
  { name: 'tolerations-no-list', annotations: { [DEFAULT_TOLERATIONS]: '{}' }, steps: [pod()] },
  { name: 'tolerations-bad-member', annotations: { [DEFAULT_TOLERATIONS]: '[{"key":1}]' }, steps: [pod()] },
  {
    name: 'tolerations-burstable',
    annotations: { [WHITELIST]: '' },
    steps: [
      pod({ containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '1' } } }] }),
      change('pods/p', { metadata: { labels: { a: 'b' } } }),
    ],
  },
  {
    name: 'events',
    steps: [
      event('e1', 'ns-events'),
      event('e2', 'ns-events'),
      event('e3', 'ns-events'),
      { ...event('e4', 'ns-events'), path: '/api/v1/namespaces/ns-events/events?dryRun=All' },
      event('e5', 'ns-events', { path: '/api/v1/namespaces/default/events' }),
    ],
  },
  {
    name: 'provisioned',
    steps: [
      create('/api/v1/namespaces/made/configmaps?dryRun=All', { metadata: { name: 'x' } }),
      create('/api/v1/namespaces/made/configmaps', { metadata: { name: 'x' } }),
      { method: 'GET', path: '/api/v1/namespaces/made' },
      create('/api/v1/namespaces/Bad_Name/configmaps', { metadata: { name: 'x' } }),
      { method: 'DELETE', path: '/api/v1/namespaces/unmade/configmaps/x' },
    ],
  },
];

/** The configuration of plugins in the scenarios that need some. */
export const configurations: Readonly<Record<string, object>> = {
  PodNodeSelector: {
    podNodeSelectorPluginConfig: {
      clusterDefaultNodeSelector: 'env=dev',
      'ns-selector-whitelisted': 'env=dev,disk=ssd',
      'ns-selector-not-whitelisted': 'env=dev,disk=ssd',
    },
  },
  PodTolerationRestriction: {
    apiVersion: 'podtolerationrestriction.admission.k8s.io/v1alpha1',
    kind: 'Configuration',
    default: [{ key: 'allowed', operator: 'Exists' }],
    whitelist: [
      { key: 'allowed', operator: 'Exists' },
      { operator: 'Exists', effect: 'NoExecute' },
    ],
  },
  EventRateLimit: {
    apiVersion: 'eventratelimit.admission.k8s.io/v1alpha1',
    kind: 'Configuration',
    limits: [
      { type: 'Namespace', qps: 1, burst: 2, cacheSize: 10 },
      { type: 'SourceAndObject', qps: 1, burst: 2 },
    ],
  },
};
