// Files of kube-scheduler's configuration: good ones, of which the completed form is compared, and bad ones, of which the message is.

/** A file, as JSON, which is YAML as well; texts are taken as they are. */
export interface ConfigurationCase {
  readonly name: string;
  readonly text: string;
}

const HEAD = { apiVersion: 'kubescheduler.config.k8s.io/v1', kind: 'KubeSchedulerConfiguration' };
/** Where the recorder's kubeconfig is; kept out of what is recorded. */
const CONNECTION = { kubeconfig: 'kubeconfig' };

function file(name: string, members: object): ConfigurationCase {
  return { name, text: JSON.stringify({ ...HEAD, clientConnection: CONNECTION, ...members }) };
}

function profile(name: string, members: object): ConfigurationCase {
  return file(name, { profiles: [members] });
}

function args(plugin: string, given: unknown, name = JSON.stringify(given)): ConfigurationCase {
  return profile(`arguments of ${plugin}: ${name}`, { pluginConfig: [{ name: plugin, args: given }] });
}

function extender(name: string, members: object): ConfigurationCase {
  return file(`extender ${name}`, { extenders: [{ urlPrefix: 'http://127.0.0.1:1/x', ...members }] });
}

const point = (utilization: number, score: number): object => ({ utilization, score });
const ratio = (...shape: object[]): object => ({
  scoringStrategy: { type: 'RequestedToCapacityRatio', requestedToCapacityRatio: { shape } },
});
const required = (...nodeSelectorTerms: object[]): object => ({
  addedAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } },
});
const constraint = { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway' };

export const configurationCases: readonly ConfigurationCase[] = [
  file('nothing but its kind', {}),
  { name: 'no kind', text: JSON.stringify({ apiVersion: HEAD.apiVersion }) },
  { name: 'no version', text: JSON.stringify({ kind: HEAD.kind }) },
  { name: 'an empty file', text: '' },
  { name: 'another version', text: JSON.stringify({ ...HEAD, apiVersion: 'kubescheduler.config.k8s.io/v1beta3' }) },
  { name: 'another kind', text: JSON.stringify({ ...HEAD, kind: 'Policy' }) },
  { name: 'a kind of arguments', text: JSON.stringify({ ...HEAD, kind: 'NodeAffinityArgs' }) },
  { name: 'no object', text: '[]' },
  { name: 'no YAML', text: 'a: b: c' },
  file('unknown members', { foo: 1, profiles: [{ bar: 2, plugins: { baz: {} } }] }),
  {
    name: 'members that come twice',
    text: `apiVersion: ${HEAD.apiVersion}\nkind: ${HEAD.kind}\nparallelism: 1\nparallelism: 2\n`,
  },
  file('numbers', {
    parallelism: 3,
    percentageOfNodesToScore: 50,
    podInitialBackoffSeconds: 2,
    podMaxBackoffSeconds: 3,
  }),
  file('no parallelism', { parallelism: 0 }),
  file('text for a number', { parallelism: 'many' }),
  file('a fraction for a number', { parallelism: 1.5 }),
  file('number too large', { percentageOfNodesToScore: 4_000_000_000 }),
  file('percentage above 100', { percentageOfNodesToScore: 101 }),
  file('percentage below 0', { percentageOfNodesToScore: -1 }),
  file('back-off of nothing', { podInitialBackoffSeconds: 0 }),
  file('longest back-off below the first', { podInitialBackoffSeconds: 5, podMaxBackoffSeconds: 4 }),
  file('no profiling', { enableProfiling: false }),
  file('no profiling of contention', { enableContentionProfiling: false }),
  file('a late cache', { delayCacheUntilActive: true }),
  file('leader election', { leaderElection: { leaseDuration: '1m', resourceName: 'other', leaderElect: true } }),
  file('no leader election', { leaderElection: { leaderElect: false, leaseDuration: '-1s', resourceLock: 'x' } }),
  file('lease too short', { leaderElection: { leaseDuration: '10s' } }),
  file('negative times', { leaderElection: { leaseDuration: '-2s', renewDeadline: '-3s', retryPeriod: '-1s' } }),
  file('another lock', { leaderElection: { resourceLock: 'endpoints' } }),
  file('a duration that is none', { leaderElection: { leaseDuration: 'soon' } }),
  file('slow client', { clientConnection: { ...CONNECTION, qps: 1.5, burst: 2, contentType: 'application/json' } }),
  file('negative burst', { clientConnection: { ...CONNECTION, burst: -1 } }),

  file('two profiles', { profiles: [{ schedulerName: 'a' }, { schedulerName: 'b', percentageOfNodesToScore: 7 }] }),
  file('two profiles without names', { profiles: [{}, {}] }),
  file('two profiles of one name', { profiles: [{ schedulerName: 'a' }, { schedulerName: 'a' }] }),
  profile('profile with an empty name', { schedulerName: '' }),
  profile('profile percentage', { percentageOfNodesToScore: 200 }),
  profile('all scores off but one', {
    plugins: { score: { disabled: [{ name: '*' }], enabled: [{ name: 'NodeResourcesFit', weight: 5 }] } },
  }),
  profile('other weight for all points', {
    plugins: { multiPoint: { enabled: [{ name: 'TaintToleration', weight: 9 }] } },
  }),
  profile('default disabled everywhere', { plugins: { multiPoint: { disabled: [{ name: 'TaintToleration' }] } } }),
  profile('all disabled everywhere but some', {
    plugins: {
      multiPoint: { disabled: [{ name: '*' }], enabled: [{ name: 'PrioritySort' }, { name: 'DefaultBinder' }] },
    },
  }),
  profile('unknown plugin at a point', { plugins: { filter: { enabled: [{ name: 'Nope' }] } } }),
  profile('unknown plugin at all points', { plugins: { multiPoint: { enabled: [{ name: 'Nope' }] } } }),
  profile('unknown plugin disabled', { plugins: { filter: { disabled: [{ name: 'Nope' }] } } }),
  profile('plugin where it does not serve', { plugins: { filter: { enabled: [{ name: 'DefaultBinder' }] } } }),
  profile('plugin twice at a point', {
    plugins: { filter: { enabled: [{ name: 'NodeName' }, { name: 'NodeName' }] } },
  }),
  profile('plugin twice at all points', {
    plugins: {
      multiPoint: { disabled: [{ name: 'NodeName' }], enabled: [{ name: 'NodeName' }, { name: 'NodeName' }] },
    },
  }),
  profile('nobody sorts', { plugins: { queueSort: { disabled: [{ name: '*' }] } } }),
  profile('nobody binds', { plugins: { bind: { disabled: [{ name: 'DefaultBinder' }] } } }),
  profile('two sort', { plugins: { queueSort: { enabled: [{ name: 'PrioritySort' }, { name: 'Other' }] } } }),
  profile('plugin of the past', { plugins: { filter: { enabled: [{ name: 'EBSLimits' }] } } }),
  profile('arguments for a plugin of the past', { pluginConfig: [{ name: 'EBSLimits' }] }),
  file('different sorts', {
    profiles: [
      { schedulerName: 'a', plugins: { queueSort: { enabled: [{ name: 'PrioritySort', weight: 2 }] } } },
      { schedulerName: 'b' },
    ],
  }),
  file('different sorts, the other way', {
    profiles: [
      { schedulerName: 'a' },
      { schedulerName: 'b', plugins: { queueSort: { enabled: [{ name: 'PrioritySort', weight: 2 }] } } },
    ],
  }),

  profile('arguments twice', { pluginConfig: [{ name: 'NodeAffinity' }, { name: 'NodeAffinity' }] }),
  profile('arguments of a plugin that nobody knows', { pluginConfig: [{ name: 'Nope', args: { a: 1 } }] }),
  profile('arguments that are no object', { pluginConfig: [{ name: 'NodeAffinity', args: 5 }] }),
  args('NodeAffinity', null),
  args('NodeAffinity', { kind: 'Nope' }),
  args('NodeAffinity', { kind: 'InterPodAffinityArgs' }),
  args('NodeAffinity', { apiVersion: 'v1' }),
  args('NodeAffinity', { foo: 1 }),
  args('NodeAffinity', required({ matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }] })),
  args('NodeAffinity', required({})),
  args('NodeAffinity', required({ matchExpressions: [{ key: 'a', operator: 'In' }] })),
  args('NodeAffinity', required({ matchExpressions: [{ key: '_', operator: 'Exists', values: ['x'] }] })),
  args('NodeAffinity', required({ matchExpressions: [{ key: 'a', operator: 'Gt', values: ['x'] }] })),
  args('NodeAffinity', required({ matchExpressions: [{ key: 'a', operator: 'Lt' }] })),
  args('NodeAffinity', required({ matchExpressions: [{ key: 'a', operator: 'Is' }] }, { matchFields: [{ key: 'b' }] })),
  args('NodeAffinity', required({ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['a', 'b'] }] })),
  args('NodeAffinity', required({ matchFields: [{ key: 'metadata.name', operator: 'NotIn' }] })),
  args('NodeAffinity', {
    addedAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [
        { weight: 0, preference: { matchExpressions: [{ key: '_', operator: 'Is' }] } },
        { weight: 1, preference: { matchExpressions: [{ key: '_', operator: 'Is' }] } },
      ],
    },
  }),
  args('DefaultPreemption', { minCandidateNodesPercentage: 0, minCandidateNodesAbsolute: 0 }),
  args('DefaultPreemption', { minCandidateNodesPercentage: 101, minCandidateNodesAbsolute: -1 }),
  args('DefaultPreemption', { minCandidateNodesPercentage: 5 }),
  args('DynamicResources', { filterTimeout: '-1s', bindingTimeout: '1ms' }),
  args('DynamicResources', { filterTimeout: '0s' }),
  args('InterPodAffinity', { hardPodAffinityWeight: 101 }),
  args('InterPodAffinity', { hardPodAffinityWeight: 0, ignorePreferredTermsOfExistingPods: true }),
  args('NodeResourcesBalancedAllocation', { resources: [{ name: 'cpu', weight: 2 }, { name: 'cpu' }] }),
  args('NodeResourcesBalancedAllocation', { resources: [{ name: 'example.com/gpu' }] }),
  args('NodeResourcesFit', { ignoredResources: ['example.com/foo'], ignoredResourceGroups: ['example.com'] }),
  args('NodeResourcesFit', { ignoredResources: ['_'], ignoredResourceGroups: ['a/b'] }),
  args('NodeResourcesFit', { scoringStrategy: {} }),
  args('NodeResourcesFit', { scoringStrategy: { type: 'Best' } }),
  args('NodeResourcesFit', { scoringStrategy: { type: 'MostAllocated', resources: [{ name: 'cpu' }] } }),
  args('NodeResourcesFit', {
    scoringStrategy: { type: 'LeastAllocated', resources: [{ name: 'cpu', weight: 101 }, { weight: -1 }] },
  }),
  args('NodeResourcesFit', { scoringStrategy: { type: 'RequestedToCapacityRatio' } }),
  args('NodeResourcesFit', ratio()),
  args('NodeResourcesFit', ratio(point(0, 0), point(100, 10))),
  args('NodeResourcesFit', ratio(point(50, 11), point(50, -1), point(101, 0), point(-1, 0))),
  args('NodeResourcesFit', {
    scoringStrategy: { type: 'MostAllocated', requestedToCapacityRatio: { shape: [point(0, 0)] } },
  }),
  args('PodTopologySpread', { defaultingType: 'None' }),
  args('PodTopologySpread', { defaultConstraints: [constraint] }),
  args('PodTopologySpread', { defaultingType: 'List', defaultConstraints: [constraint] }),
  args('PodTopologySpread', { defaultingType: 'List', defaultConstraints: [constraint, constraint] }),
  args('PodTopologySpread', {
    defaultingType: 'List',
    defaultConstraints: [
      { maxSkew: 0 },
      { maxSkew: -1, topologyKey: '_', whenUnsatisfiable: 'Maybe', labelSelector: {} },
    ],
  }),
  args('VolumeBinding', { bindTimeoutSeconds: -1 }),
  args('VolumeBinding', { bindTimeoutSeconds: 0 }),
  args('VolumeBinding', { shape: [point(0, 0)] }),

  extender('with everything', {
    filterVerb: 'filter',
    prioritizeVerb: 'prioritize',
    preemptVerb: 'preempt',
    bindVerb: 'bind',
    weight: 5,
    enableHTTPS: true,
    tlsConfig: { insecure: true, serverName: 'x' },
    httpTimeout: '100ms',
    nodeCacheCapable: true,
    managedResources: [{ name: 'example.com/foo', ignoredByScheduler: true }, { name: 'example.com/bar' }],
    ignorable: true,
  }),
  extender('without a weight', { prioritizeVerb: 'prioritize' }),
  extender('with resources that are not extended', {
    managedResources: [
      { name: 'cpu' },
      { name: '_' },
      { name: 'a.b/c' },
      { name: 'a.b/c' },
      { name: 'kubernetes.io/x' },
    ],
  }),
  extender('with a time that is none', { httpTimeout: 5 }),
  extender('with an authority that is not there', { tlsConfig: { caFile: 'missing-authority.crt' } }),
  extender('that trusts everybody and somebody', { tlsConfig: { insecure: true, caData: 'eA==' } }),
  extender('with data that is not Base64', { tlsConfig: { caData: '*' } }),
  file('two extenders that bind', {
    extenders: [
      { urlPrefix: 'http://a', bindVerb: 'b' },
      { urlPrefix: 'http://b', bindVerb: 'b' },
    ],
  }),
  file('everything wrong at once', {
    parallelism: -1,
    percentageOfNodesToScore: 101,
    podInitialBackoffSeconds: -1,
    podMaxBackoffSeconds: -2,
    clientConnection: { ...CONNECTION, burst: -2 },
    leaderElection: { leaseDuration: '1s' },
    profiles: [{ schedulerName: 'a' }, { schedulerName: 'a', percentageOfNodesToScore: -3 }],
    extenders: [{ urlPrefix: '', prioritizeVerb: 'p', weight: -1 }],
  }),
];
