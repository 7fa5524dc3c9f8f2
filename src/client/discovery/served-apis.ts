import type { APIGroupDiscoveryList, APIResourceDiscovery } from '../../api/types/apidiscovery/v2.d.ts';
import type { APIGroupList, APIResource, APIResourceList, APIVersions } from '../../api/types/meta/v1.d.ts';
import type { Info } from '../../api/types/pkg/version.d.ts';
import { messageOf } from '../../base/index.ts';
import type { Kind } from '../kind.ts';
import type { CallOptions } from '../request/api-request.ts';
import type { Requester } from '../request/requester.ts';

/** A resource as discovery describes it. */
export interface ServedKind extends Kind {
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
  /** Names such as `status`. */
  readonly subresources: readonly string[];
}

/** The result of discovery, possibly incomplete. */
export interface Survey {
  /** In the server's order of preference. */
  readonly kinds: readonly ServedKind[];
  /** Errors by group and version: usually the server of an aggregated API is down. */
  readonly failures: ReadonlyMap<string, string>;
}

/** The APIs that the server serves. Discovered once and cached; looking for an unknown kind discovers again. */
export class ServedApis {
  readonly #requester: Requester;
  #kinds: readonly ServedKind[] | undefined;

  constructor(requester: Requester) {
    this.#requester = requester;
  }

  /** The server's version. */
  async version(options: CallOptions = {}): Promise<Info> {
    return (await this.#get('/version', options)) as Info;
  }

  /** Every served resource, in the server's order of preference. */
  async kinds(options: CallOptions = {}): Promise<readonly ServedKind[]> {
    return this.#kinds ?? (await this.survey(options)).kinds;
  }

  /** Discovers without the cache; the result includes the failures. */
  async survey(options: CallOptions = {}): Promise<Survey> {
    const [core, groups] = await Promise.all([this.#get('/api', options), this.#get('/apis', options)]);
    const parts = await Promise.all([
      isAggregated(core) ? readAggregated(core) : this.#resources('/api', (core as APIVersions).versions, options),
      isAggregated(groups) ? readAggregated(groups) : this.#groupKinds(groups as APIGroupList, options),
    ]);
    this.#kinds = parts.flatMap(({ kinds }) => kinds);
    return { kinds: this.#kinds, failures: new Map(parts.flatMap(({ failures }) => [...failures])) };
  }

  /** Finds a resource of an apiVersion by its kind, plural, singular or short name; undefined when it is not served. */
  async find(apiVersion: string, name: string, options: CallOptions = {}): Promise<ServedKind | undefined> {
    const wanted = (kind: ServedKind): boolean => kind.apiVersion === apiVersion && isNamed(kind, name);
    const known = this.#kinds?.find(wanted);
    if (known !== undefined) return known;
    this.forget();
    return (await this.kinds(options)).find(wanted);
  }

  /** Drops the cache. */
  forget(): void {
    this.#kinds = undefined;
  }

  #groupKinds({ groups }: APIGroupList, options: CallOptions): Promise<Survey> {
    const versions = groups.flatMap((group) => group.versions.map(({ groupVersion }) => groupVersion));
    return this.#resources('/apis', versions, options);
  }

  /** Leaves out groups whose server is down. */
  async #resources(root: string, versions: readonly string[], options: CallOptions): Promise<Survey> {
    const failures = new Map<string, string>();
    const read = async (groupVersion: string): Promise<ServedKind[]> => {
      const path = `${root}/${groupVersion}`;
      try {
        return readResourceList((await this.#get(path, options)) as APIResourceList);
      } catch (error) {
        options.signal?.throwIfAborted();
        this.#requester.log.warn('cannot discover an API group', { path, error });
        failures.set(groupVersion, messageOf(error));
        return [];
      }
    };
    return { kinds: (await Promise.all(versions.map(read))).flat(), failures };
  }

  async #get(path: string, options: CallOptions): Promise<unknown> {
    return (await this.#requester.object({ method: 'GET', path, accept: ACCEPT_AGGREGATED, ...options })).value;
  }
}

function isNamed({ kind, plural, singular, shortNames }: ServedKind, name: string): boolean {
  return kind === name || plural === name || singular === name || shortNames.includes(name);
}

/** Asks for all groups in one response (KEP-3352); older servers answer in another form. */
const ACCEPT_AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json';

function isAggregated(value: unknown): value is APIGroupDiscoveryList {
  return (value as { readonly kind?: unknown } | null)?.kind === 'APIGroupDiscoveryList';
}

/**
 * The resources of an aggregated response, in the server's order of preference. Versions marked stale count as
 * failures.
 */
export function readAggregated(list: APIGroupDiscoveryList): Survey {
  const failures = new Map<string, string>();
  const kinds: ServedKind[] = [];
  for (const { metadata, versions = [] } of list.items ?? []) {
    const group = metadata?.name ?? '';
    for (const { version = '', resources = [], freshness } of versions ?? []) {
      const apiVersion = group === '' ? version : `${group}/${version}`;
      if (freshness === 'Stale') failures.set(apiVersion, `stale GroupVersion discovery: ${apiVersion}`);
      else for (const resource of resources ?? []) kinds.push(servedKind(group, version, resource));
    }
  }
  return { kinds, failures };
}

function servedKind(group: string, version: string, resource: APIResourceDiscovery): ServedKind {
  return {
    group,
    version,
    apiVersion: group === '' ? version : `${group}/${version}`,
    kind: resource.responseKind?.kind ?? '',
    plural: resource.resource ?? '',
    scope: resource.scope === 'Namespaced' ? 'Namespaced' : 'Cluster',
    singular: resource.singularResource ?? '',
    shortNames: resource.shortNames ?? [],
    categories: resource.categories ?? [],
    verbs: resource.verbs ?? [],
    subresources: (resource.subresources ?? []).map(({ subresource = '' }) => subresource),
  };
}

/** The resources of one group and version, from a server without aggregated discovery. */
function readResourceList({ groupVersion, resources }: APIResourceList): ServedKind[] {
  return resources
    .filter(({ name }) => !name.includes('/'))
    .map((resource) => listedKind(groupVersion, resource, subresourcesOf(resource.name, resources)));
}

function listedKind(groupVersion: string, resource: APIResource, subresources: readonly string[]): ServedKind {
  const slash = groupVersion.indexOf('/');
  return {
    group: slash < 0 ? '' : groupVersion.slice(0, slash),
    version: groupVersion.slice(slash + 1),
    apiVersion: groupVersion,
    kind: resource.kind,
    plural: resource.name,
    scope: resource.namespaced ? 'Namespaced' : 'Cluster',
    singular: resource.singularName,
    shortNames: resource.shortNames ?? [],
    categories: resource.categories ?? [],
    verbs: resource.verbs,
    subresources,
  };
}

function subresourcesOf(plural: string, resources: readonly APIResource[]): readonly string[] {
  const prefix = `${plural}/`;
  return resources.filter(({ name }) => name.startsWith(prefix)).map(({ name }) => name.slice(prefix.length));
}
