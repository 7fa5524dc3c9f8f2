// The profiles under which decisions were recorded: the default one, and others whose plugins have settings.
import { defaultProfile, type Profile } from '../../../src/scheduler/index.ts';

type Settings = Readonly<Record<string, object>>;

const settings: Readonly<Record<string, Settings>> = {
  'default-scheduler': {},
  packed: {
    NodeResourcesFit: { scoringStrategy: { type: 'MostAllocated', resources: [{ name: 'cpu', weight: 1 }] } },
    InterPodAffinity: { hardPodAffinityWeight: 50 },
    DefaultPreemption: { minCandidateNodesPercentage: 20, minCandidateNodesAbsolute: 50 },
  },
  ratio: {
    NodeResourcesFit: {
      scoringStrategy: {
        type: 'RequestedToCapacityRatio',
        resources: [
          { name: 'cpu', weight: 2 },
          { name: 'memory', weight: 1 },
          { name: 'example.com/gpu', weight: 3 },
        ],
        requestedToCapacityRatio: {
          shape: [
            { utilization: 0, score: 0 },
            { utilization: 40, score: 9 },
            { utilization: 100, score: 4 },
          ],
        },
      },
    },
    PodTopologySpread: {
      defaultingType: 'List',
      defaultConstraints: [
        { topologyKey: 'topology.kubernetes.io/zone', maxSkew: 2, whenUnsatisfiable: 'DoNotSchedule' },
        { topologyKey: 'kubernetes.io/hostname', maxSkew: 1, whenUnsatisfiable: 'ScheduleAnyway' },
      ],
    },
    NodeResourcesBalancedAllocation: {
      resources: [{ name: 'cpu' }, { name: 'memory' }, { name: 'example.com/gpu' }],
    },
  },
  enforced: {
    NodeAffinity: {
      addedAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: 'generation', operator: 'Lt', values: ['8'] }] }],
        },
        preferredDuringSchedulingIgnoredDuringExecution: [
          { weight: 30, preference: { matchExpressions: [{ key: 'disk', operator: 'Exists' }] } },
        ],
      },
    },
    InterPodAffinity: { hardPodAffinityWeight: 0, ignorePreferredTermsOfExistingPods: true },
    NodeResourcesFit: {
      ignoredResources: ['example.com/gpu'],
      scoringStrategy: { type: 'LeastAllocated', resources: [{ name: 'memory', weight: 5 }, { name: 'cpu' }] },
    },
  },
};

export const profileNames: readonly string[] = Object.keys(settings);

export const profiles: readonly Profile[] = Object.entries(settings).map(([schedulerName, args]) => ({
  ...defaultProfile,
  schedulerName,
  plugins: defaultProfile.plugins.map((use) => ({ ...use, args: args[use.name] })),
}));

/** The same as kube-scheduler's configuration. */
export function schedulerConfiguration(kubeconfig: string): object {
  return {
    apiVersion: 'kubescheduler.config.k8s.io/v1',
    kind: 'KubeSchedulerConfiguration',
    clientConnection: { kubeconfig, qps: 1000, burst: 1000 },
    leaderElection: { leaderElect: false },
    profiles: Object.entries(settings).map(([schedulerName, args]) => ({
      schedulerName,
      pluginConfig: Object.entries(args).map(([name, value]) => ({ name, args: value })),
    })),
  };
}
