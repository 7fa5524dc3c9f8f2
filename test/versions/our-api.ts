import type { KubernetesVersion } from '../../src/base/index.ts';
import {
  ADDED_VERSIONS,
  builtInPriority,
  comparePreference,
  customPriority,
  orderedGroups,
  resourceList,
  type ServedGroup,
  type ServedGroupVersion,
} from '../../src/api/discovery/index.ts';
import { OpenApiV2 } from '../../src/api/openapi/openapi-v2.ts';
import { OpenApiV3 } from '../../src/api/openapi/openapi-v3.ts';
import { byGroupVersion, everything, parsed, type ParsedDocument } from '../../src/api/openapi/testing/documents.ts';
import { discoveredResource } from '../../src/apiserver/testing/described-resources.ts';
import { TestApi } from '../../src/resources/testing/test-api.ts';
import type { ApiDocuments, ResourceList } from './outline.ts';

/** The documents of a server with all APIs of a version, whether or not they are on by default. */
export async function ourApi(version: KubernetesVersion): Promise<ApiDocuments> {
  const { sources, resources } = await everything(version);
  const v2 = parsed(new OpenApiV2(sources).document(resources));
  const v3 = new OpenApiV3(sources);
  const byVersion = [...byGroupVersion(resources).values()];
  const groups = new Set(resources.map(({ group }) => group).filter((group) => group !== ''));
  return {
    v2,
    v3: [
      ...[...v3.server().values()].map((write) => write()),
      ...[...groups].map((group) => v3.group(group)),
      ...byVersion.map((served) => v3.groupVersion(served[0], served)),
    ].map(parsed),
    values: valuesIn(v2),
    ...(await ourDiscovery(version)),
  };
}

interface PublishedField {
  readonly enum?: readonly string[];
  readonly items?: PublishedField;
  readonly additionalProperties?: PublishedField;
}

function valuesIn({ definitions }: ParsedDocument): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [type, { properties = {} }] of Object.entries(definitions)) {
    for (const [name, field] of Object.entries(properties as Readonly<Record<string, PublishedField>>)) {
      const listed = field.enum ?? field.items?.enum ?? field.additionalProperties?.enum;
      if (type.startsWith('io.k8s.api.') && listed !== undefined)
        values[`${type}.${name}`] = [...listed].sort().join(' ');
    }
  }
  return values;
}

async function ourDiscovery(version: KubernetesVersion): Promise<Pick<ApiDocuments, 'lists' | 'groups'>> {
  await using api = new TestApi({ kubernetesVersion: version });
  const discovered = api.resources
    .filter((resource) => !ADDED_VERSIONS.includes(`${resource.group}/${resource.version}`))
    .map(discoveredResource);
  const versions = new Map<string, ServedGroupVersion>();
  for (const { group, version: name } of discovered) {
    const groupVersion = { group, version: name };
    versions.set(`${group}/${name}`, { ...groupVersion, priority: builtInPriority(groupVersion) ?? customPriority });
  }
  const groups = [...new Set(discovered.map(({ group }) => group))].map((name): ServedGroup => {
    const [first, ...others] = [...versions.values()].filter(({ group }) => group === name).sort(comparePreference);
    if (first === undefined) throw new Error(`Group "${name}" has no version`);
    return { name, versions: [first, ...others] };
  });
  return {
    lists: [...versions.values()].map((groupVersion) => {
      const members = discovered.filter(
        (each) => each.group === groupVersion.group && each.version === groupVersion.version,
      );
      return JSON.parse(JSON.stringify(resourceList(groupVersion, members))) as ResourceList;
    }),
    groups: orderedGroups(
      groups.filter(({ name }) => name !== ''),
      'by group',
    ).map((group) => [group.name, ...group.versions.map((each) => each.version)].join(' ')),
  };
}
