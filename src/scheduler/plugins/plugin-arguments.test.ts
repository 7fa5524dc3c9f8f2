import { expect, test } from 'vitest';
import { sharedContext } from '../testing/objects.ts';
import { builtInPlugins } from './registry.ts';

function problemsOf(plugin: string, args: object): string {
  try {
    builtInPlugins.get(plugin)?.({ ...sharedContext(), args });
    return 'none';
  } catch (error) {
    return (error as Error).message.replace(`Cannot set up ${plugin}: `, '');
  }
}

test.each([
  ['DefaultPreemption', { minCandidateNodesPercentage: 5 }, 'none'],
  [
    'DefaultPreemption',
    { minCandidateNodesPercentage: 101, minCandidateNodesAbsolute: -1 },
    'minCandidateNodesPercentage: Invalid value: 101: not in valid range [0, 100], ' +
      'minCandidateNodesAbsolute: Invalid value: -1: not in valid range [0, inf)',
  ],
  [
    'DefaultPreemption',
    { minCandidateNodesPercentage: 0, minCandidateNodesAbsolute: 0 },
    'minCandidateNodesPercentage: Invalid value: 0: cannot be zero at the same time as minCandidateNodesAbsolute, ' +
      'minCandidateNodesAbsolute: Invalid value: 0: cannot be zero at the same time as minCandidateNodesPercentage',
  ],
  ['InterPodAffinity', { hardPodAffinityWeight: 0 }, 'none'],
  [
    'InterPodAffinity',
    { hardPodAffinityWeight: 101 },
    'hardPodAffinityWeight: Invalid value: 101: not in valid range [0, 100]',
  ],
  [
    'PodTopologySpread',
    { defaultConstraints: [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' }] },
    'defaultingType: Invalid value: "System": when .defaultConstraints are not empty',
  ],
  [
    'PodTopologySpread',
    {
      defaultingType: 'List',
      defaultConstraints: [
        { maxSkew: 0, topologyKey: '', whenUnsatisfiable: 'Never', labelSelector: {} },
        { maxSkew: 1, topologyKey: '', whenUnsatisfiable: 'Never' },
      ],
    },
    'defaultConstraints[0].maxSkew: Invalid value: 0: not in valid range (0, inf), ' +
      'defaultConstraints[0].topologyKey: Required value: can not be empty, ' +
      'defaultConstraints[0].whenUnsatisfiable: Unsupported value: "Never": supported values: "DoNotSchedule", "ScheduleAnyway", ' +
      'defaultConstraints[0].labelSelector: Forbidden: constraint must not define a selector, as they deduced for each pod, ' +
      'defaultConstraints[1].topologyKey: Required value: can not be empty, ' +
      'defaultConstraints[1].whenUnsatisfiable: Unsupported value: "Never": supported values: "DoNotSchedule", "ScheduleAnyway", ' +
      'defaultConstraints[1]: Duplicate value: "{, Never}"',
  ],
  [
    'NodeResourcesBalancedAllocation',
    { resources: [{ name: 'cpu', weight: 2 }, { name: 'cpu' }] },
    'resources[0].weight: Invalid value: 2: must be 1, resources[1].name: Duplicate value: "cpu"',
  ],
  [
    'NodeResourcesFit',
    { scoringStrategy: { type: 'RequestedToCapacityRatio' }, ignoredResourceGroups: ['a/b'] },
    `ignoredResourceGroups[0]: Invalid value: "a/b": resource group name can't contain '/', ` +
      'scoringStrategy.requestedToCapacityRatio: Required value: must be specified when type is RequestedToCapacityRatio',
  ],
  [
    'NodeResourcesFit',
    {
      scoringStrategy: {
        type: 'RequestedToCapacityRatio',
        requestedToCapacityRatio: {
          shape: [
            { utilization: 50, score: 11 },
            { utilization: 50, score: 0 },
          ],
        },
      },
    },
    'scoringStrategy.requestedToCapacityRatio.shape[1].utilization: Invalid value: 50: values must be sorted in increasing order, ' +
      'scoringStrategy.requestedToCapacityRatio.shape[0].score: Invalid value: 11: not in valid range [0, 10]',
  ],
  [
    'NodeAffinity',
    {
      addedAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [
            {
              matchExpressions: [{ key: 'a', operator: 'Is' }],
              matchFields: [
                { key: 'metadata.name', operator: 'Gt', values: ['n1'] },
                { key: 'metadata.name', operator: 'In', values: ['n1', 'n2'] },
              ],
            },
          ],
        },
      },
    },
    'addedAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].operator: ' +
      'Unsupported value: "Is": supported values: "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt", ' +
      'addedAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchFields[0].operator: ' +
      'Unsupported value: "Gt": supported values: "In", "NotIn", ' +
      'addedAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchFields[1].values: ' +
      'Invalid value: ["n1","n2"]: must have one element',
  ],
])('the settings of %s are checked: %o', (plugin, args, problems) => {
  expect(problemsOf(plugin, args)).toBe(problems);
});
