import type { GroupVersion } from '../api/index.ts';
import { SubresourceTargets, type RegisteredResource, Withdrawal } from './endpoint.ts';
import { Listeners } from './listeners.ts';
import type { ServerObjects } from './objects/server-objects.ts';
import type { Resource } from './resource.ts';

type KindName = Pick<Resource, 'group' | 'plural'>;

/**
 * The currently served resources, which are added and removed while the server runs. The registry is the server's only source of kinds:
 * discovery, documents, tables and ownership are derived from it.
 */
export class ResourceRegistry {
  readonly #objects: ServerObjects;
  /** By group, then by version and plural. */
  readonly #groups = new Map<string, Map<string, RegisteredResource>>();
  readonly #listeners = new Listeners<readonly GroupVersion[]>();

  constructor(objects: ServerObjects) {
    this.#objects = objects;
  }

  /**
   * Serves these resources, in place of all versions that their kinds had before. Watches of replaced resources end, as they do when a kind
   * is withdrawn.
   */
  register(resources: readonly Resource[]): void {
    const replaced = [...new Map(resources.map((resource) => [kindKey(resource), resource])).values()];
    const removed = replaced.flatMap((kind) => this.#remove(kind));
    for (const resource of resources) this.#add(resource);
    this.#finish(removed, resources);
  }

  /** Stops serving all versions of a kind: requests get 404, and its watches end. */
  withdraw(kind: KindName): void {
    this.#finish(this.#remove(kind), []);
  }

  /** Reports that discovery describes a registered kind differently from now on, though it is served as before. */
  relist({ group, plural }: KindName): void {
    const versions = this.resourcesOf(group).filter((resource) => resource.plural === plural);
    this.#listeners.notify(versions.map(({ version }) => ({ group, version })));
  }

  /** Calls `listener` before `register`, `withdraw` and `relist` return, with the versions whose resources have changed. */
  onChange(listener: (changed: readonly GroupVersion[]) => void): Disposable {
    return this.#listeners.add(listener);
  }

  find(group: string, version: string, plural: string): RegisteredResource | undefined {
    return this.#groups.get(group)?.get(`${version}/${plural}`);
  }

  hasGroup(group: string): boolean {
    return this.#groups.has(group);
  }

  groupNames(): string[] {
    return [...this.#groups.keys()];
  }

  resourcesOf(group: string): Resource[] {
    return [...(this.#groups.get(group)?.values() ?? [])].map(({ resource }) => resource);
  }

  #add(resource: Resource): void {
    const { group, version, plural } = resource;
    let members = this.#groups.get(group);
    if (members === undefined) this.#groups.set(group, (members = new Map()));
    members.set(`${version}/${plural}`, {
      resource,
      objects: this.#objects.register(resource),
      withdrawal: new Withdrawal(),
      targets: new SubresourceTargets(resource),
    });
  }

  #remove({ group, plural }: KindName): RegisteredResource[] {
    const members = this.#groups.get(group);
    if (members === undefined) return [];
    const removed = [...members].filter(([, { resource }]) => resource.plural === plural);
    for (const [key, { resource }] of removed) {
      members.delete(key);
      this.#objects.withdraw(resource);
    }
    if (members.size === 0) this.#groups.delete(group);
    return removed.map(([, endpoint]) => endpoint);
  }

  /** Watches end last, so that a client that reconnects at once finds the new state. */
  #finish(removed: readonly RegisteredResource[], added: readonly Resource[]): void {
    const changed = [...removed.map(({ resource }) => resource), ...added];
    if (changed.length === 0) return;
    const versions = new Map(changed.map(({ group, version }) => [`${group}/${version}`, { group, version }]));
    this.#listeners.notify([...versions.values()]);
    for (const { withdrawal } of removed) withdrawal.happen();
  }
}

function kindKey({ group, plural }: KindName): string {
  return `${plural}.${group}`;
}
