import type { GroupVersion } from '../api/index.ts';
import type { APIResourceDiscovery, APISubresourceDiscovery } from '../api/types/apidiscovery/v2.d.ts';

/** The resources of every group and version that a server's document lists, by `GROUP/VERSION`. */
export type DiscoveredVersions = ReadonlyMap<string, readonly APIResourceDiscovery[]>;

/** Max resources read from one document; the rest is left out. */
const MAX_RESOURCES = 20_000;

export function groupVersionKey({ group, version }: GroupVersion): string {
  return `${group}/${version}`;
}

/** Parses an aggregated discovery document. Invalid members are left out. */
export function readAggregated(text: string): DiscoveredVersions {
  const versions = new Map<string, readonly APIResourceDiscovery[]>();
  let left = MAX_RESOURCES;
  for (const group of listIn(JSON.parse(text), 'items')) {
    const name = textIn(recordIn(group, 'metadata'), 'name');
    for (const version of listIn(group, 'versions')) {
      const resources = listIn(version, 'resources').slice(0, left).flatMap(resourceOf);
      left -= resources.length;
      versions.set(groupVersionKey({ group: name, version: textIn(version, 'version') }), resources);
    }
  }
  return versions;
}

/** Reads the list of resources of one version, as servers without aggregated discovery have it. */
export function readResourceList(text: string): readonly APIResourceDiscovery[] {
  const entries = listIn(JSON.parse(text), 'resources').slice(0, MAX_RESOURCES);
  const resources = new Map<string, APIResourceDiscovery>();
  for (const entry of entries) {
    const name = textIn(entry, 'name');
    if (name === '' || name.includes('/')) continue;
    resources.set(name, {
      resource: name,
      responseKind: kindOf(entry),
      scope: recordOf(entry)['namespaced'] === true ? 'Namespaced' : 'Cluster',
      singularResource: textIn(entry, 'singularName'),
      verbs: textsIn(entry, 'verbs'),
      ...optionalTexts(entry, 'shortNames'),
      ...optionalTexts(entry, 'categories'),
    });
  }
  for (const entry of entries) {
    const [name = '', subresource = ''] = textIn(entry, 'name').split('/', 2);
    if (subresource === '') continue;
    const resource = resources.get(name) ?? { resource: name, scope: 'Cluster', verbs: [], responseKind: NO_KIND };
    const found: APISubresourceDiscovery = { subresource, responseKind: kindOf(entry), verbs: textsIn(entry, 'verbs') };
    resources.set(name, { ...resource, subresources: [...(resource.subresources ?? []), found] });
  }
  return [...resources.values()];
}

const NO_KIND = { group: '', version: '', kind: '' };

function resourceOf(entry: unknown): APIResourceDiscovery[] {
  const name = textIn(entry, 'resource');
  if (name === '') return [];
  const subresources = listIn(entry, 'subresources').slice(0, MAX_RESOURCES).map(subresourceOf);
  return [
    {
      resource: name,
      responseKind: kindOf(recordIn(entry, 'responseKind')),
      scope: textIn(entry, 'scope'),
      singularResource: textIn(entry, 'singularResource'),
      verbs: textsIn(entry, 'verbs'),
      ...optionalTexts(entry, 'shortNames'),
      ...optionalTexts(entry, 'categories'),
      ...(subresources.length === 0 ? {} : { subresources }),
    },
  ];
}

function subresourceOf(entry: unknown): APISubresourceDiscovery {
  const acceptedTypes = listIn(entry, 'acceptedTypes').map(kindOf);
  return {
    subresource: textIn(entry, 'subresource'),
    responseKind: kindOf(recordIn(entry, 'responseKind')),
    ...(acceptedTypes.length === 0 ? {} : { acceptedTypes }),
    verbs: textsIn(entry, 'verbs'),
  };
}

function kindOf(entry: unknown): { group: string; version: string; kind: string } {
  return { group: textIn(entry, 'group'), version: textIn(entry, 'version'), kind: textIn(entry, 'kind') };
}

type Members = Readonly<Record<string, unknown>>;

function recordOf(value: unknown): Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : {};
}

function recordIn(value: unknown, member: string): Members {
  return recordOf(recordOf(value)[member]);
}

function listIn(value: unknown, member: string): readonly unknown[] {
  const found = recordOf(value)[member];
  return Array.isArray(found) ? (found as unknown[]) : [];
}

function textIn(value: unknown, member: string): string {
  const found = recordOf(value)[member];
  return typeof found === 'string' ? found : '';
}

function textsIn(value: unknown, member: string): string[] {
  return listIn(value, member).filter((each) => typeof each === 'string');
}

function optionalTexts<Name extends string>(value: unknown, member: Name): { [name in Name]?: string[] } {
  const texts = textsIn(value, member);
  return texts.length === 0 ? {} : ({ [member]: texts } as { [name in Name]?: string[] });
}
