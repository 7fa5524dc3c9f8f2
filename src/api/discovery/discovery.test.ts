import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { discoveredResource } from '../../apiserver/testing/described-resources.ts';
import { TestApi } from '../../resources/testing/test-api.ts';
import { aggregatedDiscovery, aggregatedGroup, aggregatedResources } from './aggregated-discovery.ts';
import type { DiscoveredGroupVersion } from './aggregated-discovery.ts';
import { type DiscoveredResource, storageVersionHash } from './discovered-resource.ts';
import { comparePreference, orderedGroups, type ServedGroup } from './group-order.ts';
import { coreVersions, groupList, resourceList, singleGroup } from './legacy-discovery.ts';
import { builtInPriority, customPriority } from './priorities.ts';
import { ADDED_VERSIONS, apiEnablement, parseRuntimeConfig } from './runtime-config.ts';

interface RecordedServer {
  readonly aggregated: Readonly<Record<'/api' | '/apis', string>>;
  readonly answers: Readonly<Record<string, string>>;
}

const recorded = JSON.parse(readFileSync(new URL('testdata/recorded.json', import.meta.url), 'utf8')) as Readonly<
  Record<'default' | 'all' | 'gated', RecordedServer>
>;

function builtIn(runtimeConfig: string, hasAllFeatures = false): DiscoveredResource[] {
  const added = ADDED_VERSIONS.map((version) => `${version}=false`); // not recorded: kube-apiserver does not have them
  const enablement = apiEnablement(parseRuntimeConfig(runtimeConfig, ...added));
  return new TestApi().resources
    .filter((resource) => enablement.isServed(resource) && (hasAllFeatures || resource.featureGate === undefined))
    .map(discoveredResource);
}

function groupsOf(served: readonly DiscoveredGroupVersion[]): ServedGroup<DiscoveredGroupVersion>[] {
  return [...new Set(served.map(({ group }) => group))].map((name) => {
    const versions = served.filter(({ group }) => group === name).sort(comparePreference);
    return { name, versions: versions as [DiscoveredGroupVersion, ...DiscoveredGroupVersion[]] };
  });
}

function aggregated(groups: readonly ServedGroup<DiscoveredGroupVersion>[]): ReturnType<typeof aggregatedDiscovery> {
  return aggregatedDiscovery(orderedGroups(groups, 'by group').map(aggregatedGroup));
}

function servedGroups(resources: readonly DiscoveredResource[]): ServedGroup<DiscoveredGroupVersion>[] {
  const parts = new Map<string, DiscoveredResource[]>();
  for (const resource of resources) {
    const key = `${resource.group}/${resource.version}`;
    parts.set(key, [...(parts.get(key) ?? []), resource]);
  }
  const served = [...parts].map(([key, members]): DiscoveredGroupVersion => {
    const [group = '', version = ''] = key.split('/');
    const priority = builtInPriority({ group, version }) ?? customPriority;
    return { group, version, priority, resources: aggregatedResources(members), freshness: 'Current' };
  });
  return groupsOf(served);
}

function digest(answer: unknown): string {
  return createHash('sha256').update(JSON.stringify(answer)).digest('hex').slice(0, 8);
}

const servers = [
  ['default', builtIn('')],
  ['all', builtIn('api/all=true')],
  ['gated', builtIn('api/all=true', true)],
] as const;

describe.each(servers)('a server with these APIs enabled: %s', (name, resources) => {
  const served = servedGroups(resources);

  test('answers aggregated discovery byte for byte as kube-apiserver does', () => {
    const core = aggregated(served.filter((group) => group.name === ''));
    const others = aggregated(served.filter((group) => group.name !== ''));
    expect({ '/api': core.etag, '/apis': others.etag }).toEqual(recorded[name].aggregated);
  });

  test('lists its groups byte for byte as kube-apiserver does', () => {
    expect(digest(groupList(served))).toBe(recorded[name].answers['/apis']);
  });
});

test('every group and every list of resources is byte for byte what kube-apiserver answers', () => {
  const resources = builtIn('api/all=true', true);
  const served = servedGroups(resources);
  const answers: Record<string, string> = { '/apis': digest(groupList(served)) };
  for (const group of served) if (group.name !== '') answers[`/apis/${group.name}`] = digest(singleGroup(group));
  for (const { group, version } of served.flatMap(({ versions }) => versions)) {
    const members = resources.filter((resource) => resource.group === group && resource.version === version);
    const path = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
    answers[path] = digest(resourceList({ group, version }, members));
  }
  expect(answers).toEqual(recorded.gated.answers);
});

test('the version list of the core group has no apiVersion', () => {
  expect(coreVersions('192.0.2.2:6443')).toEqual({
    kind: 'APIVersions',
    versions: ['v1'],
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: '192.0.2.2:6443' }],
  });
});

test('storageVersionHash() is what kube-apiserver computes', () => {
  expect(storageVersionHash('v1', 'Pod')).toBe('xPOwRZ+Yhw8=');
  expect(storageVersionHash('apps/v1', 'DaemonSet')).toBe('dd7pWHUlMKQ=');
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
    storageVersionHash: storageVersionHash('example.com/v1', 'Widget'),
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

  test('are sorted in aggregated discovery, with their full kind', () => {
    const list = aggregatedResources([widget, gear]);
    expect(list.map(({ resource }) => resource)).toEqual(['gears', 'widgets']);
    expect(list[1]).toMatchObject({
      responseKind: { group: 'example.com', version: 'v1', kind: 'Widget' },
      subresources: [{ subresource: 'status' }, { subresource: 'scale', responseKind: { group: 'autoscaling' } }],
    });
  });
});

describe('groups of the same priority', () => {
  const versions = [
    ['b.example.com', 'v1'],
    ['a.example.com', 'v2alpha1'],
    ['a.example.com', 'v1beta1'],
  ];
  const served = groupsOf(
    versions.map(([group = '', version = '']) => ({
      group,
      version,
      priority: customPriority,
      resources: [],
      freshness: 'Current',
    })),
  );

  test('are listed in order of the names of their APIServices, where the version comes first', () => {
    expect(groupList(served).groups.map(({ name }) => name)).toEqual(['b.example.com', 'a.example.com']);
  });

  test('are ordered by group in aggregated discovery', () => {
    const { items } = JSON.parse(aggregated(served).body) as { items: { metadata: { name: string } }[] };
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['a.example.com', 'b.example.com']);
  });

  test('prefer the more stable version', () => {
    const [, second] = served;
    expect(second && singleGroup(second).preferredVersion?.version).toBe('v1beta1');
  });
});
