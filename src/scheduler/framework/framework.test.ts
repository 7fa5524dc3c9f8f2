import { expect, test } from 'vitest';
import { builtInPlugins } from '../plugins/registry.ts';
import { sharedContext } from '../testing/objects.ts';
import { Framework, pointsOf } from './framework.ts';
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

test('plugins serve the points whose methods they have', () => {
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
    DynamicResources: 'PreFilter PostFilter',
    DefaultPreemption: 'PostFilter',
    NodeResourcesBalancedAllocation: 'PreScore Score',
    DefaultBinder: 'Bind',
  });
});

test('the default profile asks the filters in the order of kube-scheduler, with its weights', () => {
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
  ]);
  expect(framework.at('Score').map(({ name }) => [name, framework.weightOf(name)])).toEqual([
    ['TaintToleration', 3],
    ['NodeAffinity', 2],
    ['NodeResourcesFit', 1],
    ['NodeResourcesBalancedAllocation', 1],
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
  ['an unknown plugin', { plugins: [{ name: 'Nope' }] }, /Cannot enable scheduler plugin "Nope": it does not exist/],
  ['no plugin that sorts', { plugins: [{ name: 'DefaultBinder' }] }, /needs one QueueSort plugin, got 0/],
  ['no plugin that binds', { plugins: [{ name: 'PrioritySort' }] }, /needs a Bind plugin/],
  ['a plugin twice', { plugins: [...defaultProfile.plugins, { name: 'NodeName' }] }, /"NodeName" is enabled twice/],
  ['no name', { schedulerName: '' }, /no schedulerName/],
  ['more than all nodes', { percentageOfNodesToScore: 101 }, /from 0 to 100, got 101/],
])('a profile with %s is refused', (_, profile, message) => {
  expect(() => frameworkOf(profile)).toThrow(message);
});
