import { hasReason, StatusError } from '../../api/client.ts';
import { clone } from '../../base/index.ts';
import type { KubernetesObject } from '../../client/index.ts';
import type { TestCluster } from '../test-cluster.ts';
import type { ObjectName } from './plan.ts';

/** An object's name in parts. */
export interface NamedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string | undefined;
  readonly name: string;
}

export function objectName({ apiVersion, kind, namespace, name }: NamedObject): ObjectName {
  return `${apiVersion} ${kind} ${namespace === undefined || namespace === '' ? name : `${namespace}/${name}`}`;
}

export function parseObjectName(text: ObjectName): NamedObject {
  const [apiVersion = '', kind = '', key = ''] = text.split(' ', 3);
  const slash = key.indexOf('/');
  return slash < 0
    ? { apiVersion, kind, namespace: undefined, name: key }
    : { apiVersion, kind, namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

/** Whom objects belong to that an operator finds and must leave alone. */
const OTHER_USER = 'another-user';

/** What users other than the operator's do to objects. */
export class OtherUsers {
  readonly #cluster: TestCluster;

  constructor(cluster: TestCluster) {
    this.#cluster = cluster;
  }

  async find(name: ObjectName): Promise<KubernetesObject | undefined> {
    const { apiVersion, kind, namespace, name: own } = parseObjectName(name);
    try {
      const objects = await this.#cluster.client.dynamic(apiVersion, kind);
      return clone(await (namespace === undefined ? objects : objects.namespace(namespace)).get(own));
    } catch (error) {
      if (hasReason(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  /** Deletes an object; false if there is none. */
  async delete(name: ObjectName): Promise<boolean> {
    const path = await this.#pathOf(name);
    try {
      await this.#cluster.client.request({
        method: 'DELETE',
        path,
        body: { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Background' },
      });
      return true;
    } catch (error) {
      if (hasReason(error, 'NotFound')) return false;
      throw error;
    }
  }

  /** Deletes an object and creates it again; false if there is none, or if a finalizer of the operator keeps it. */
  async makeAgain(name: ObjectName): Promise<boolean> {
    const found = await this.find(name);
    if (found === undefined) return false;
    await this.delete(name);
    return (await this.find(name)) === undefined && (await this.create(name, againOf(found)));
  }

  /** Changes an object; false if there is none, or if the server refuses the change. */
  async change(name: ObjectName, patch: object): Promise<boolean> {
    const path = await this.#pathOf(name);
    try {
      await this.#cluster.client.request({
        method: 'PATCH',
        path,
        body: patch,
        contentType: 'application/merge-patch+json',
        query: { fieldManager: OTHER_USER },
      });
      return true;
    } catch (error) {
      if (hasReason(error, 'NotFound') || hasReason(error, 'Invalid')) return false;
      throw error;
    }
  }

  /** Sends the whole object with a change; false if there is none, if the server refuses the change, or if it makes no difference. */
  async replace(name: ObjectName, change: (found: KubernetesObject) => KubernetesObject): Promise<boolean> {
    const path = await this.#pathOf(name);
    for (;;) {
      const found = await this.find(name);
      if (found === undefined) return false;
      try {
        const sent = { method: 'PUT', path, body: change(found), query: { fieldManager: OTHER_USER } } as const;
        const stored = (await this.#cluster.client.request(sent)) as KubernetesObject;
        return stored.metadata?.resourceVersion !== found.metadata?.resourceVersion;
      } catch (error) {
        if (hasReason(error, 'Conflict')) continue; // the operator was faster
        if (error instanceof StatusError && error.code < 500) return false;
        throw error;
      }
    }
  }

  async create(name: ObjectName, object: object): Promise<boolean> {
    const path = await this.#pathOf(name);
    try {
      await this.#cluster.client.request({ method: 'POST', path: path.slice(0, path.lastIndexOf('/')), body: object });
      return true;
    } catch (error) {
      if (hasReason(error, 'Invalid') || hasReason(error, 'AlreadyExists') || hasReason(error, 'NotFound'))
        return false;
      throw error;
    }
  }

  /** Creates an object that belongs to another owner. */
  async createForeign(name: ObjectName, body: object): Promise<boolean> {
    const { namespace } = parseObjectName(name);
    const { metadata = {}, ...rest } = withoutStatus(body) as KubernetesObject;
    const { ownerReferences: _, finalizers: __, ...own } = metadata;
    const ownerReferences = namespace === undefined ? [] : [await this.#otherOwner(namespace)];
    return this.create(name, {
      ...rest,
      metadata: { ...own, ...(ownerReferences.length > 0 ? { ownerReferences } : {}) },
    });
  }

  async #otherOwner(namespace: string) {
    const maps = this.#cluster.client.core.v1.configmaps.namespace(namespace);
    const metadata = { name: OTHER_USER };
    const owner = await maps.create({ metadata }).catch((error: unknown) => {
      if (hasReason(error, 'AlreadyExists')) return maps.get(OTHER_USER);
      throw error;
    });
    return { apiVersion: 'v1', kind: 'ConfigMap', name: OTHER_USER, uid: owner.metadata.uid, controller: true };
  }

  async #pathOf(name: ObjectName): Promise<string> {
    const { apiVersion, kind, namespace, name: own } = parseObjectName(name);
    const found = await this.#cluster.client.apis.find(apiVersion, kind);
    if (found === undefined) throw new Error(`Cannot find "${name}": the server does not serve its kind`);
    const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    const place = namespace === undefined ? '' : `/namespaces/${namespace}`;
    return `${root}${place}/${found.plural}/${own}`;
  }
}

function withoutStatus(object: object): object {
  const { status: _, ...rest } = object as { readonly status?: unknown };
  return rest;
}

/** An object as it was, to be created again. */
export function againOf(object: KubernetesObject): object {
  const { metadata: { name, namespace, labels, annotations } = {}, ...rest } = object;
  return { ...withoutStatus(rest), metadata: { name, namespace, labels, annotations } };
}
