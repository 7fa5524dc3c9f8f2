import { canonicalize, excludeFields } from '../../api/index.ts';
import type { ApiObject, FieldFilter, OwnedKind, Struct, VersionedObject } from '../../api/index.ts';
import { deepFreeze } from '../../base/index.ts';
import type { Resource } from '../resource.ts';
import { apiVersionOf, convertFromStored, convertToStored } from '../storage/stored-object.ts';

/** Finds what is served under a name in a version. */
export type FindResource = (group: string, version: string, plural: string) => Resource | undefined;

/** What ownership has to know of each resource and its subresources, found out once. */
export class OwnedKinds {
  readonly #find: FindResource;
  /** By subresource. */
  readonly #known = new WeakMap<Resource, Map<string, OwnedKind>>();

  constructor(find: FindResource) {
    this.#find = find;
  }

  of(resource: Resource, subresource: string): OwnedKind {
    let kinds = this.#known.get(resource);
    if (kinds === undefined) this.#known.set(resource, (kinds = new Map<string, OwnedKind>()));
    let kind = kinds.get(subresource);
    if (kind === undefined) kinds.set(subresource, (kind = this.#make(resource, subresource)));
    return kind;
  }

  #make(resource: Resource, subresource: string): OwnedKind {
    const { group, version, kind, type } = resource;
    const filter = filterOf(resource, subresource);
    return {
      kind: { group, version, kind },
      type,
      subresource,
      ...(filter === undefined ? {} : { filter }),
      convert: (object, apiVersion) => this.#convert(object, apiVersion, resource),
    };
  }

  /** Through the stored version, which all versions can be turned into and made from. */
  #convert(object: unknown, apiVersion: string, resource: Resource): VersionedObject | undefined {
    const slash = apiVersion.indexOf('/');
    const [group, version] = [slash < 0 ? '' : apiVersion.slice(0, slash), apiVersion.slice(slash + 1)];
    const target = this.#find(group, version, resource.plural);
    if (target === undefined || target.storage.prefix !== resource.storage.prefix) return undefined;
    const source = versionOf(object, resource, this.#find);
    const whole = canonicalize(object, source.type) as unknown as ApiObject;
    const converted = convertFromStored(convertToStored(whole, source), target);
    return { object: canonicalize(converted, target.type), type: target.type };
  }
}

/** The resource in the version that an object says it is in: what was converted before is converted back. */
function versionOf(object: unknown, resource: Resource, find: FindResource): Resource {
  const { apiVersion } = object as { readonly apiVersion?: unknown };
  if (typeof apiVersion !== 'string' || apiVersion === apiVersionOf(resource)) return resource;
  const slash = apiVersion.indexOf('/');
  return find(slash < 0 ? '' : apiVersion.slice(0, slash), apiVersion.slice(slash + 1), resource.plural) ?? resource;
}

function filterOf(resource: Resource, subresource: string): FieldFilter | undefined {
  const paths = resource.resetFields?.[subresource];
  return paths === undefined ? undefined : excludeFields(...paths.map((path) => path.split('.')));
}

/**
 * The object as it is once it has been turned into the stored version and back, where that can change it: what comes
 * with the conversion belongs to the writer too.
 */
export function asConverted(object: ApiObject, resource: Resource): ApiObject {
  if (resource.storage.toStored === undefined) return object;
  const converted = convertFromStored(convertToStored(object, resource), resource);
  return canonicalize(converted, resource.type) as unknown as ApiObject;
}

const blanks = new WeakMap<Struct, ApiObject>();

/** An object of a resource's type with nothing in it. */
export function blankObject(resource: Resource): ApiObject {
  let blank = blanks.get(resource.type);
  if (blank === undefined) {
    const { kind } = resource;
    blank = canonicalize(
      { kind, apiVersion: apiVersionOf(resource), metadata: {} },
      resource.type,
    ) as unknown as ApiObject;
    deepFreeze(blank);
    blanks.set(resource.type, blank);
  }
  return blank;
}
