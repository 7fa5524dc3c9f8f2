import {
  type ApiObject,
  builtInTypes,
  type GroupResource,
  type JsonPath,
  parseJsonPath,
  type Struct,
  structuralKind,
  ValueError,
} from '../../api/index.ts';
import type { KubernetesObject } from '../../client/index.ts';
import type { Definition } from '../resource/resource-options.ts';
import type { ApiResource } from './api-resource.ts';

type Version = Definition['spec']['versions'][number];

/** A resource with everything that is computed once, before the first request. */
export interface ServedKind {
  readonly resource: ApiResource;
  readonly definition: Definition;
  readonly version: Version;
  readonly type: Struct;
  readonly apiVersion: string;
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly isNamespaced: boolean;
  readonly hasStatus: boolean;
  readonly verbs: readonly string[];
  /** Paths, such as `spec.color`, that field selectors may use besides name and namespace. */
  readonly selectable: ReadonlyMap<string, JsonPath>;
  readonly groupResource: GroupResource;
}

export function servedKind(resource: ApiResource): ServedKind {
  const { schema } = resource;
  const definition = schema.manifest({ conversion: { url: 'https://localhost/convert' } });
  const version = definition.spec.versions.find(({ name }) => name === schema.version);
  if (version === undefined) throw new Error(`Cannot serve ${schema.kind}: it has no version "${schema.version}"`);
  const { group, kind, plural, apiVersion } = schema;
  const type = structuralKind(
    version.schema?.openAPIV3Schema ?? {},
    { group, version: schema.version, kind },
    { types: builtInTypes() },
  );
  const fields = version.selectableFields ?? [];
  return {
    resource,
    definition,
    version,
    type,
    apiVersion,
    group,
    kind,
    plural,
    isNamespaced: schema.scope === 'Namespaced',
    hasStatus: version.subresources?.status !== undefined,
    verbs: verbsOf(resource),
    selectable: new Map(fields.map(({ jsonPath }) => [jsonPath.replace(/^\./, ''), parseJsonPath(`{${jsonPath}}`)])),
    groupResource: { group, resource: plural },
  };
}

/** The verbs that the storage's functions make possible. */
function verbsOf({ get, list, watch, create, update, delete: remove }: ApiResource): string[] {
  const can = {
    create: create !== undefined,
    delete: remove !== undefined,
    deletecollection: remove !== undefined && list !== undefined,
    get: get !== undefined || list !== undefined,
    list: list !== undefined,
    patch: update !== undefined,
    update: update !== undefined,
    watch: watch !== undefined,
  };
  return Object.entries(can).flatMap(([verb, isThere]) => (isThere ? [verb] : []));
}

/** The first value at a path; undefined if there is none. */
export function firstAt(path: JsonPath, object: unknown): unknown {
  try {
    return path.find(object)[0];
  } catch (error) {
    if (error instanceof ValueError) return undefined; // the object does not have the structure that the path expects
    throw error;
  }
}

/** The object as clients get it: with kind and apiVersion, which storages need not keep. */
export function outgoing(object: KubernetesObject, { kind, apiVersion }: ServedKind): ApiObject {
  const { kind: _, apiVersion: __, metadata = {}, ...rest } = object;
  return { kind, apiVersion, metadata, ...rest };
}
