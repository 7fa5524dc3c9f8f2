import type { GroupVersion } from '../api/index.ts';
import type { Store } from '../store/index.ts';
import { type Endpoint, type Services, Withdrawal } from './endpoint.ts';
import { Listeners } from './listeners.ts';
import type { Resource } from './resource.ts';
import { ObjectStore, type SharedObjects } from './storage/object-store.ts';
import type { StorageCodec } from './storage/storage-codec.ts';

/** How objects look in the store, and what has been made of them. */
export interface StoredForm {
  readonly codecFor: (resource: Resource) => StorageCodec;
  readonly shared?: SharedObjects;
}

type KindName = Pick<Resource, 'group' | 'plural'>;

/**
 * The resources that are served now, which come and go while the server runs. Nothing else in the server knows kinds:
 * discovery, documents, tables and ownership are made from what is here.
 */
export class ResourceRegistry {
  readonly #store: Store;
  readonly #services: Services;
  readonly #stored: StoredForm;
  /** By group, then by version and plural. */
  readonly #groups = new Map<string, Map<string, Endpoint>>();
  /** The objects of a kind by their prefix in the store: versions of one kind share them. */
  readonly #objects = new Map<string, ObjectsOfKind>();
  readonly #listeners = new Listeners<readonly GroupVersion[]>();

  constructor(store: Store, services: Services, stored: StoredForm) {
    this.#store = store;
    this.#services = services;
    this.#stored = stored;
  }

  /**
   * Serves these resources from now on, in place of all versions that their kinds had before. Watches of what is
   * replaced end, as they do when a kind is withdrawn.
   */
  register(resources: readonly Resource[]): void {
    const replaced = [...new Map(resources.map((resource) => [kindKey(resource), resource])).values()];
    const removed = replaced.flatMap((kind) => this.#remove(kind));
    for (const resource of resources) this.#add(resource);
    this.#finish(removed, resources);
  }

  /** Serves no version of a kind any more: requests find nothing, and its watches end. */
  withdraw(kind: KindName): void {
    this.#finish(this.#remove(kind), []);
  }

  /** Calls `listener` before `register` and `withdraw` return, with the versions whose resources are others than before. */
  onChange(listener: (changed: readonly GroupVersion[]) => void): Disposable {
    return this.#listeners.add(listener);
  }

  find(group: string, version: string, plural: string): Endpoint | undefined {
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
      objects: this.#objectsOf(resource),
      services: this.#services,
      withdrawal: new Withdrawal(),
    });
  }

  #remove({ group, plural }: KindName): Endpoint[] {
    const members = this.#groups.get(group);
    if (members === undefined) return [];
    const removed = [...members].filter(([, { resource }]) => resource.plural === plural);
    for (const [key, { resource }] of removed) {
      members.delete(key);
      this.#release(resource);
    }
    if (members.size === 0) this.#groups.delete(group);
    return removed.map(([, endpoint]) => endpoint);
  }

  /** Watches end last, so that whoever asks again at once finds the new state of things. */
  #finish(removed: readonly Endpoint[], added: readonly Resource[]): void {
    const changed = [...removed.map(({ resource }) => resource), ...added];
    if (changed.length === 0) return;
    const versions = new Map(changed.map(({ group, version }) => [`${group}/${version}`, { group, version }]));
    this.#listeners.tell([...versions.values()]);
    for (const { withdrawal } of removed) withdrawal.happen();
  }

  #objectsOf(resource: Resource): ObjectStore {
    const { storage, capabilities } = resource;
    const known = this.#objects.get(storage.prefix);
    if (known !== undefined) {
      known.users += 1;
      return known.objects;
    }
    // What was made of custom objects is not kept for the next definition of their kind, which may read them otherwise.
    const shared = capabilities.objects === 'structured' ? this.#stored.shared : undefined;
    const objects = new ObjectStore(this.#store, this.#stored.codecFor(resource), shared);
    this.#objects.set(storage.prefix, { objects, users: 1 });
    return objects;
  }

  #release({ storage }: Resource): void {
    const known = this.#objects.get(storage.prefix);
    if (known !== undefined && (known.users -= 1) === 0) this.#objects.delete(storage.prefix);
  }
}

interface ObjectsOfKind {
  readonly objects: ObjectStore;
  /** How many versions are served of the kind. */
  users: number;
}

function kindKey({ group, plural }: KindName): string {
  return `${plural}.${group}`;
}
