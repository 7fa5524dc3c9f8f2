import { expect, test } from 'vitest';
import { builtInPlugins } from '../plugins/registry.ts';
import { sharedContext } from '../testing/objects.ts';
import { Framework } from './framework.ts';
import { pointsOf } from './plugins-at-points.ts';
import { defaultProfile, extensionPoints, type Profile } from './profile.ts';

const context = sharedContext();
const frameworkOf = (profile: Partial<Profile>): Framework =>
  new Framework({ ...defaultProfile, ...profile }, builtInPlugins, context);

test('the extension points come in the order in which a pod passes them', () => {
  expect(extensionPoints).toEqual([
    'PreEnqueue',
    'QueueSort',
    'PreFilter',
    'Filter',
    'PostFilter',
    'PreScore',
    'Score',
    'NormalizeScore',
    'Reserve',
    'Permit',
    'PreBind',
    'Bind',
    'PostBind',
  ]);
});

test('plugins take part at the points whose methods they have', () => {
  const served = Object.fromEntries(
    Array.from(builtInPlugins, ([name, factory]) => [
      name,
      pointsOf(factory({ ...context, args: undefined })).join(' '),
    ]),
  );
  expect(served).toEqual({
    SchedulingGates: 'PreEnqueue',
    PrioritySort: 'QueueSort',
    NodeUnschedulable: 'Filter',
    NodeName: 'Filter',
    TaintToleration: 'Filter PreScore Score NormalizeScore',
    NodeAffinity: 'PreFilter Filter PreScore Score NormalizeScore',
    NodePorts: 'PreFilter Filter',
    NodeResourcesFit: 'Filter PreScore Score',
    VolumeRestrictions: 'PreFilter Filter',
    NodeVolumeLimits: 'PreFilter Filter',
    VolumeBinding: 'PreFilter Filter Reserve PreBind',
    VolumeZone: 'PreFilter Filter',
    PodTopologySpread: 'PreFilter Filter PreScore Score NormalizeScore',
    InterPodAffinity: 'PreFilter Filter PreScore Score NormalizeScore',
    DynamicResources: 'PreEnqueue PreFilter Filter PostFilter PreScore Score NormalizeScore Reserve PreBind',
    DefaultPreemption: 'PreEnqueue PostFilter',
    NodeResourcesBalancedAllocation: 'PreScore Score',
    ImageLocality: 'PreScore Score',
    DefaultBinder: 'Bind',
    NodeDeclaredFeatures: 'PreFilter Filter',
  });
});

test('the default profile calls the filters in the order of kube-scheduler, with its weights', () => {
  const framework = frameworkOf({});
  expect(framework.at('Filter').map(({ name }) => name)).toEqual([
    'NodeUnschedulable',
    'NodeName',
    'TaintToleration',
    'NodeAffinity',
    'NodePorts',
    'NodeResourcesFit',
    'VolumeRestrictions',
    'NodeVolumeLimits',
    'VolumeBinding',
    'VolumeZone',
    'PodTopologySpread',
    'InterPodAffinity',
    'DynamicResources',
    'NodeDeclaredFeatures',
  ]);
  expect(framework.at('Score').map(({ name }) => [name, framework.weightOf(name)])).toEqual([
    ['TaintToleration', 3],
    ['NodeAffinity', 2],
    ['NodeResourcesFit', 1],
    ['PodTopologySpread', 2],
    ['InterPodAffinity', 2],
    ['DynamicResources', 2],
    ['NodeResourcesBalancedAllocation', 1],
    ['ImageLocality', 1],
  ]);
});

test('a profile may use a plugin at some of its points only', () => {
  const plugins = defaultProfile.plugins.map((use) =>
    use.name === 'TaintToleration' ? { ...use, points: ['Filter'] as const } : use,
  );
  const framework = frameworkOf({ plugins });
  expect(framework.at('Filter').map(({ name }) => name)).toContain('TaintToleration');
  expect(framework.at('Score').map(({ name }) => name)).not.toContain('TaintToleration');
});

test.each<[why: string, profile: Partial<Profile>, message: RegExp]>([
  ['an unknown plugin', { plugins: [{ name: 'Nope' }] }, /PreFilterPlugin "Nope" does not exist/],
  [
    'no plugin that sorts',
    { plugins: [{ name: 'DefaultBinder' }] },
    /only one queue sort plugin required for profile with scheduler name "default-scheduler", but got 0/,
  ],
  ['no plugin that binds', { plugins: [{ name: 'PrioritySort' }] }, /at least one bind plugin is needed for profile/],
  [
    'a plugin twice',
    { plugins: [...defaultProfile.plugins, { name: 'NodeName' }] },
    /plugin "NodeName" already registered as "FilterPlugin"/,
  ],
  ['no name', { schedulerName: '' }, /scheduler name is needed/],
  ['more than all nodes', { percentageOfNodesToScore: 101 }, /from 0 to 100, got 101/],
])('a profile with %s is refused', (_, profile, message) => {
  expect(() => frameworkOf(profile)).toThrow(message);
});

test('plugins at a single point override those at all points', () => {
  const framework = frameworkOf({
    points: {
      Filter: { enabled: [{ name: 'NodePorts' }, { name: 'NodeName' }], disabled: ['TaintToleration'] },
      Score: { enabled: [{ name: 'NodeResourcesFit', weight: 7 }], disabled: ['*'] },
    },
  });
  const at = (point: 'Filter' | 'Score'): string[] => framework.at(point).map(({ name }) => name);
  expect(at('Filter').slice(0, 3)).toEqual(['NodePorts', 'NodeName', 'NodeUnschedulable']);
  expect(at('Filter')).not.toContain('TaintToleration');
  expect(at('Score')).toEqual(['NodeResourcesFit']);
  expect(framework.weightOf('NodeResourcesFit')).toBe(7);
});
