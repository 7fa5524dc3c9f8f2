import type { Random } from '../../src/base/index.ts';
import { type Client, hasReason, mergePatch } from '../../src/client/index.ts';

/** Above this number, an object is deleted before another one is created. */
const MAX_DEPLOYMENTS = 15;

/** A user of a cluster for days: creates, scales, changes and deletes, and remembers what there should be. */
export class SoakUser {
  readonly #client: Client;
  readonly #random: Random;
  /** Replicas by namespace and name. */
  readonly deployments = new Map<string, number>();
  readonly namespaces = new Set<string>(['default']);
  #made = 0;

  constructor(client: Client, random: Random) {
    this.#client = client;
    this.#random = random;
  }

  /** One random user action. */
  async act(): Promise<string> {
    const actions = [
      () => this.#create(),
      () => this.#create(),
      () => this.#scale(),
      () => this.#scale(),
      () => this.#roll(),
      () => this.#deletePod(),
      () => this.#deletePod(),
      () => this.#deleteDeployment(),
      () => this.#createNamespace(),
      () => this.#deleteNamespace(),
    ];
    return await (this.deployments.size > MAX_DEPLOYMENTS ? this.#deleteDeployment() : this.#pick(actions)());
  }

  async #create(): Promise<string> {
    const namespace = this.#pick([...this.namespaces]);
    const name = `web-${++this.#made}`;
    const replicas = this.#below(6);
    const labels = { app: name };
    await this.#client.apps.v1.deployments.namespace(namespace).create({
      metadata: { name },
      spec: {
        replicas,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'web:1' }] } },
      },
    });
    await this.#client.core.v1.services.namespace(namespace).create({
      metadata: { name },
      spec: { selector: labels, ports: [{ port: 80 }] },
    });
    this.deployments.set(`${namespace}/${name}`, replicas);
    return `created ${namespace}/${name} of ${replicas}`;
  }

  async #scale(): Promise<string> {
    return this.#change((namespace, name) => {
      const replicas = this.#below(8);
      this.deployments.set(`${namespace}/${name}`, replicas);
      return { spec: { replicas } };
    }, 'scaled');
  }

  async #roll(): Promise<string> {
    const image = `web:${this.#below(1000)}`;
    const spec = { containers: [{ name: 'web', image }] };
    return this.#change(() => ({ spec: { template: { spec } } }), 'rolled');
  }

  async #change(patch: (namespace: string, name: string) => object, verb: string): Promise<string> {
    const [namespace = '', name = ''] = this.#anyDeployment();
    if (name === '') return 'nothing to change';
    await this.#client.apps.v1.deployments.namespace(namespace).patch(name, mergePatch(patch(namespace, name)));
    return `${verb} ${namespace}/${name}`;
  }

  async #deletePod(): Promise<string> {
    const pods = (await this.#client.core.v1.pods.list()).items;
    if (pods.length === 0) return 'no pod to delete';
    const { name, namespace = '' } = this.#pick(pods).metadata;
    try {
      await this.#client.core.v1.pods.namespace(namespace).delete(name);
    } catch (error) {
      if (!hasReason(error, 'NotFound')) throw error; // it went by itself in between
    }
    return `deleted pod ${namespace}/${name}`;
  }

  async #deleteDeployment(): Promise<string> {
    const [namespace = '', name = ''] = this.#anyDeployment();
    if (name === '') return 'no deployment to delete';
    const propagationPolicy = this.#pick(['Background', 'Foreground'] as const);
    await this.#client.apps.v1.deployments.namespace(namespace).delete(name, { propagationPolicy });
    await this.#client.core.v1.services.namespace(namespace).delete(name);
    this.deployments.delete(`${namespace}/${name}`);
    return `deleted ${namespace}/${name} (${propagationPolicy})`;
  }

  async #createNamespace(): Promise<string> {
    const name = `team-${++this.#made}`;
    await this.#client.core.v1.namespaces.create({ metadata: { name } });
    this.namespaces.add(name);
    return `created namespace ${name}`;
  }

  async #deleteNamespace(): Promise<string> {
    const name = this.#pick([...this.namespaces]);
    if (name === 'default') return 'kept namespace default';
    await this.#client.core.v1.namespaces.delete(name);
    this.namespaces.delete(name);
    for (const key of this.deployments.keys()) if (key.startsWith(`${name}/`)) this.deployments.delete(key);
    return `deleted namespace ${name}`;
  }

  #anyDeployment(): string[] {
    const keys = [...this.deployments.keys()];
    return keys.length === 0 ? [] : this.#pick(keys).split('/');
  }

  #below(limit: number): number {
    return Math.floor(this.#random.float() * limit);
  }

  #pick<T>(items: readonly T[]): T {
    return items[this.#below(items.length)] as T;
  }
}
