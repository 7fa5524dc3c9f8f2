import { canonicalize, canonicalObject, excludeFields } from '../../api/index.ts';
import type {
  ApiObject,
  ConversionRequest,
  ConvertedObjects,
  FieldFilter,
  OwnedKind,
  Struct,
} from '../../api/index.ts';
import { deepFreeze } from '../../base/index.ts';
import type { Resource } from '../resource.ts';
import type { Waiting } from '../storage/conversion.ts';
import { apiVersionOf } from '../storage/stored-object.ts';

/** Finds a served resource by group, version and plural. */
export type FindResource = (group: string, version: string, plural: string) => Resource | undefined;

/** What ownership needs to know about each resource and its subresources, computed once. */
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
    if (kind === undefined) kinds.set(subresource, (kind = ownedKind(resource, subresource)));
    return kind;
  }

  /** Converts objects for one write, each at most once to each version. */
  converter(
    resource: Resource,
    writer: Waiting,
  ): (request: ConversionRequest) => ConvertedObjects | undefined | Promise<ConvertedObjects | undefined> {
    let known: Map<string, Map<unknown, unknown>> | undefined;
    return ({ objects, apiVersion }) => {
      const target = this.#version(apiVersion, resource);
      if (target === undefined) return undefined;
      known ??= new Map();
      let there = known.get(apiVersion);
      if (there === undefined) known.set(apiVersion, (there = new Map()));
      const results = there;
      const answer = (): ConvertedObjects => ({
        objects: objects.map((object) => results.get(object)),
        type: target.type,
      });
      const missing = objects.filter((object) => !results.has(object));
      const keep = (converted: readonly ApiObject[]): ConvertedObjects => {
        for (const [index, object] of missing.entries()) {
          const renamed = { ...converted[index], kind: target.kind, apiVersion };
          results.set(object, canonicalize(renamed, target.type));
        }
        return answer();
      };
      if (missing.length === 0) return answer();
      const whole = missing.map((object) => this.#whole(object, resource));
      const converted = resource.storage.convert?.(whole, apiVersion, writer.signal) ?? whole;
      return converted instanceof Promise ? converted.then(keep) : keep(converted);
    };
  }

  /** The object as it would be stored: merging drops empty fields. */
  #whole(object: unknown, resource: Resource): ApiObject {
    const { apiVersion } = object as { readonly apiVersion?: unknown };
    const source = typeof apiVersion === 'string' ? this.#version(apiVersion, resource) : undefined;
    return canonicalObject(object, (source ?? resource).type);
  }

  /** The resource in another version; undefined when that version is not served (any more). */
  #version(apiVersion: string, resource: Resource): Resource | undefined {
    if (apiVersion === apiVersionOf(resource)) return resource;
    const slash = apiVersion.indexOf('/');
    const group = slash < 0 ? '' : apiVersion.slice(0, slash);
    const found = this.#find(group, apiVersion.slice(slash + 1), resource.plural);
    return found?.storage.prefix === resource.storage.prefix ? found : undefined;
  }
}

function ownedKind(resource: Resource, subresource: string): OwnedKind {
  const { group, version, kind, type } = resource;
  const filter = filterOf(resource, subresource);
  return { kind: { group, version, kind }, type, subresource, ...(filter === undefined ? {} : { filter }) };
}

function filterOf(resource: Resource, subresource: string): FieldFilter | undefined {
  const paths = resource.resetFields?.[subresource];
  return paths === undefined ? undefined : excludeFields(...paths.map((path) => path.split('.')));
}

const blanks = new WeakMap<Struct, ApiObject>();

/** An empty object of a resource's type. */
export function blankObject(resource: Resource): ApiObject {
  let blank = blanks.get(resource.type);
  if (blank === undefined) {
    const { kind } = resource;
    blank = canonicalObject({ kind, apiVersion: apiVersionOf(resource), metadata: {} }, resource.type);
    deepFreeze(blank);
    blanks.set(resource.type, blank);
  }
  return blank;
}
