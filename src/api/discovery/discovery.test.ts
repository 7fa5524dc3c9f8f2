import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { builtInTypes } from '../built-in.ts';
import { aggregatedDiscovery, aggregatedResources, discoveryEtag } from './aggregated-discovery.ts';
import type { DiscoveredGroupVersion } from './aggregated-discovery.ts';
import { discoveredResources } from './discovered-resource.ts';
import type { DiscoveredResource } from './discovered-resource.ts';
import { requiredFeatureGate } from './feature-gated.ts';
import { coreVersions, groupList, resourceList, singleGroup } from './legacy-discovery.ts';
import { builtInPriority, customPriority } from './priorities.ts';
import { apiEnablement, parseRuntimeConfig } from './runtime-config.ts';
import { storageVersionHash } from './storage-version.ts';

interface RecordedServer {
  readonly aggregated: Readonly<Record<'/api' | '/apis', string>>;
  readonly answers: Readonly<Record<string, string>>;
}

const recorded = JSON.parse(readFileSync(new URL('testdata/recorded.json', import.meta.url), 'utf8')) as Readonly<
  Record<'default' | 'all' | 'gated', RecordedServer>
>;

function builtIn(runtimeConfig: string, hasAllFeatures = false): DiscoveredResource[] {
  const enablement = apiEnablement(parseRuntimeConfig(runtimeConfig));
  const isServed = (resource: Parameters<typeof requiredFeatureGate>[0]): boolean =>
    enablement.isServed(resource) && (hasAllFeatures || requiredFeatureGate(resource) === undefined);
  return discoveredResources(builtInTypes().resources().filter(isServed));
}

function groupVersions(resources: readonly DiscoveredResource[]): DiscoveredGroupVersion[] {
  const parts = new Map<string, DiscoveredResource[]>();
  for (const resource of resources) {
    const key = `${resource.group}/${resource.version}`;
    parts.set(key, [...(parts.get(key) ?? []), resource]);
  }
  return [...parts].map(([key, members]) => {
    const [group = '', version = ''] = key.split('/');
    const priority = builtInPriority({ group, version }) ?? customPriority;
    return { group, version, priority, resources: aggregatedResources(members), freshness: 'Current' };
  });
}

function digest(answer: unknown): string {
  return createHash('sha256').update(JSON.stringify(answer)).digest('hex').slice(0, 8);
}

const servers = [
  ['default', builtIn('')],
  ['all', builtIn('api/all=true')],
  ['gated', builtIn('api/all=true', true)],
] as const;

describe.each(servers)('a server with these APIs on: %s', (name, resources) => {
  const served = groupVersions(resources);

  test('answers aggregated discovery byte for byte as kube-apiserver does', () => {
    const core = aggregatedDiscovery(served.filter(({ group }) => group === ''));
    const others = aggregatedDiscovery(served.filter(({ group }) => group !== ''));
    expect({ '/api': discoveryEtag(core), '/apis': discoveryEtag(others) }).toEqual(recorded[name].aggregated);
  });

  test('lists its groups byte for byte as kube-apiserver does', () => {
    expect(digest(groupList(served))).toBe(recorded[name].answers['/apis']);
  });
});

test('every group and every list of resources is byte for byte what kube-apiserver answers', () => {
  const resources = builtIn('api/all=true', true);
  const served = groupVersions(resources);
  const answers: Record<string, string> = { '/apis': digest(groupList(served)) };
  for (const { group, version } of served) {
    const members = resources.filter((resource) => resource.group === group && resource.version === version);
    const path = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
    answers[path] = digest(resourceList({ group, version }, members));
    if (group !== '') answers[`/apis/${group}`] = digest(singleGroup(group, served));
  }
  expect(answers).toEqual(recorded.gated.answers);
});

test('the versions of the core group have no apiVersion themselves', () => {
  expect(coreVersions('192.0.2.2:6443')).toEqual({
    kind: 'APIVersions',
    versions: ['v1'],
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: '192.0.2.2:6443' }],
  });
});

test('a group that nobody serves is not found', () => {
  expect(singleGroup('example.com', groupVersions(builtIn('')))).toBe(undefined);
});

describe('custom resources', () => {
  const widget: DiscoveredResource = {
    group: 'example.com',
    version: 'v1',
    plural: 'widgets',
    singular: 'widget',
    kind: 'Widget',
    namespaced: true,
    shortNames: ['wd'],
    categories: ['all', 'gadgets'],
    verbs: ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'],
    storageVersionHash: storageVersionHash({ group: 'example.com', version: 'v1' }, 'Widget'),
    isCustom: true,
    subresources: [
      {
        name: 'status',
        kind: { group: 'example.com', version: 'v1', kind: 'Widget' },
        verbs: ['get', 'patch', 'update'],
      },
      {
        name: 'scale',
        kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
        verbs: ['get', 'patch', 'update'],
      },
    ],
  };
  const gear: DiscoveredResource = {
    ...widget,
    plural: 'gears',
    kind: 'Gear',
    shortNames: [],
    categories: [],
    subresources: [],
  };

  test('keep the order of verbs and of subresources, and of their definitions', () => {
    const list = resourceList({ group: 'example.com', version: 'v1' }, [widget, gear]);
    expect(list.resources.map(({ name }) => name)).toEqual(['widgets', 'widgets/status', 'widgets/scale', 'gears']);
    expect(list.resources[0]?.verbs).toEqual(widget.verbs);
    expect(list.resources[2]).toMatchObject({ group: 'autoscaling', version: 'v1', kind: 'Scale' });
  });

  test('are sorted in aggregated discovery, and say their kind in full', () => {
    const list = aggregatedResources([widget, gear]);
    expect(list.map(({ resource }) => resource)).toEqual(['gears', 'widgets']);
    expect(list[1]).toMatchObject({
      responseKind: { group: 'example.com', version: 'v1', kind: 'Widget' },
      subresources: [{ subresource: 'status' }, { subresource: 'scale', responseKind: { group: 'autoscaling' } }],
    });
  });
});

describe('groups of the same priority', () => {
  const served = [
    ['b.example.com', 'v1'],
    ['a.example.com', 'v1beta1'],
    ['a.example.com', 'v2alpha1'],
  ].map(([group = '', version = '']) => ({
    group,
    version,
    priority: customPriority,
    resources: [],
    freshness: 'Current' as const,
  }));

  test('are listed in order of the names of their APIServices, where the version comes first', () => {
    expect(groupList(served).groups.map(({ name }) => name)).toEqual(['b.example.com', 'a.example.com']);
  });

  test('are in order of group in aggregated discovery', () => {
    expect(aggregatedDiscovery(served).items?.map(({ metadata }) => metadata?.name)).toEqual([
      'a.example.com',
      'b.example.com',
    ]);
  });

  test('prefer the more stable version', () => {
    expect(singleGroup('a.example.com', served)?.preferredVersion?.version).toBe('v1beta1');
  });
});
