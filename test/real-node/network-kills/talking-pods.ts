// Pods that talk to Services by name and by address, with policies that forbid some pairs.
import { type Client, type Observed, type Pod, podLog } from '../../../src/client/index.ts';

export const NAMESPACE = 'network-kills';
export const HTTP_PORT = 8080;
export const UDP_PORT = 8081;
const IMAGE = 'registry.k8s.io/e2e-test-images/agnhost:2.63.0';

/** Servers by the Service in front of them. `steady` ones stay; the others are replaced during the run. */
export const SERVICES = ['steady', 'churned', 'closed'] as const;
export type ServiceName = (typeof SERVICES)[number];
/** Who calls: only the friend may call `closed`. */
export const CALLERS = ['friend', 'stranger'] as const;
export type CallerName = (typeof CALLERS)[number];

/** Requests over one connection, again and again; a line of its log for each answer, and `broken` when the connection has ended. */
const HELD_SCRIPT = `exec 3<>"/dev/tcp/$1/80" || { echo broken; exit; }
while printf 'GET /hostname HTTP/1.1\\r\\nHost: held\\r\\n\\r\\n' >&3; do
  length=
  while IFS= read -r -t 10 -u 3 line; do
    line=\${line%$'\\r'}
    [ -n "$line" ] || break
    case $line in Content-Length:*) length=\${line#*: } ;; esac
  done
  [ -n "$length" ] && read -r -t 10 -N "$length" -u 3 body || break
  echo "answer $body"
  sleep 0.5
done
echo broken
sleep infinity`;

interface Place {
  readonly nodeName: string;
  readonly labels: Readonly<Record<string, string>>;
}

export class TalkingPods {
  readonly #client: Client;
  readonly #nodes: readonly string[];
  readonly #addresses = new Map<ServiceName, string>();
  /** Names of server pods that ever were, by Service. */
  readonly #servers = new Map<ServiceName, string[]>(SERVICES.map((name) => [name, []]));
  #seen: readonly Observed<Pod>[] = [];
  #created = 0;

  /** Pods are spread over these nodes. */
  constructor(client: Client, nodes: readonly string[]) {
    this.#client = client;
    this.#nodes = nodes;
  }

  /** Creates everything and waits until all pods are ready. */
  async start(ready: (what: string, check: () => Promise<string | undefined>) => Promise<void>): Promise<void> {
    const { namespaces, services } = this.#client.core.v1;
    await namespaces.create({ metadata: { name: NAMESPACE } });
    await this.#client.networking.v1.networkpolicies.namespace(NAMESPACE).create({
      metadata: { name: 'closed' },
      spec: {
        podSelector: { matchLabels: { service: 'closed' } },
        policyTypes: ['Ingress'],
        ingress: [{ from: [{ podSelector: { matchLabels: { caller: 'friend' } } }] }],
      },
    });
    for (const name of SERVICES) {
      const { spec } = await services.namespace(NAMESPACE).create({
        metadata: { name },
        spec: {
          selector: { service: name },
          ports: [
            { name: 'http', protocol: 'TCP', port: 80, targetPort: HTTP_PORT },
            { name: 'udp', protocol: 'UDP', port: 81, targetPort: UDP_PORT },
          ],
        },
      });
      this.#addresses.set(name, spec?.clusterIP ?? '');
      for (let copy = 0; copy < 2; copy++) await this.#addServer(name);
    }
    for (const [index, caller] of CALLERS.entries())
      await this.#create(caller, { nodeName: this.#nodeAt(index), labels: { caller } });
    await ready('ready pods', () => this.unready());
    await this.#createHeld();
    await ready('ready pods', () => this.unready());
  }

  /** What is not ready; undefined when all pods are. */
  async unready(): Promise<string | undefined> {
    const unready = (await this.#list()).filter((pod) => !isReady(pod)).map(({ metadata }) => metadata.name);
    return unready.length === 0 ? undefined : `not ready: ${unready.join(', ')}`;
  }

  addressOf(service: ServiceName): string {
    return this.#addresses.get(service) ?? '';
  }

  /** Whether a pod of this name serves, or has served, the Service. */
  isServer(service: ServiceName, pod: string): boolean {
    return this.#servers.get(service)?.includes(pod) === true;
  }

  async callerAddress(caller: CallerName): Promise<string> {
    const { status } = await this.#client.core.v1.pods.namespace(NAMESPACE).get(caller);
    return status?.podIP ?? '';
  }

  /** Addresses of pods that serve a Service now, or did so when the API server answered last. */
  async serverAddresses(service: ServiceName): Promise<readonly string[]> {
    this.#seen = await this.#list().catch(() => this.#seen);
    const pods = this.#seen.filter(({ metadata }) => metadata.labels?.['service'] === service);
    return pods.flatMap(({ status }) => status?.podIP ?? []);
  }

  /** Replaces a server of the Service by a new one. */
  async replaceServer(service: 'churned' | 'closed'): Promise<void> {
    const pods = this.#client.core.v1.pods.namespace(NAMESPACE);
    const [oldest] = (await this.#list()).filter(
      ({ metadata }) => metadata.labels?.['service'] === service && metadata.deletionTimestamp === undefined,
    );
    await this.#addServer(service);
    if (oldest !== undefined) await pods.delete(oldest.metadata.name, { gracePeriodSeconds: 1 });
  }

  /** Creates a Service and a policy of a moment, or deletes those of the last call: nothing may be left of them at the end. */
  async toggleExtra(): Promise<void> {
    const name = 'extra';
    const services = this.#client.core.v1.services.namespace(NAMESPACE);
    const policies = this.#client.networking.v1.networkpolicies.namespace(NAMESPACE);
    const isThere = (await services.list()).items.some(({ metadata }) => metadata.name === name);
    if (isThere) {
      await services.delete(name);
      await policies.delete(name);
      return;
    }
    await services.create({
      metadata: { name },
      spec: { type: 'NodePort', selector: { service: 'churned' }, ports: [{ port: 80, targetPort: HTTP_PORT }] },
    });
    await policies.create({
      metadata: { name },
      spec: {
        podSelector: { matchLabels: { service: 'churned' } },
        policyTypes: ['Ingress'],
        ingress: [
          { from: [{ namespaceSelector: {} }, { ipBlock: { cidr: '10.0.0.0/8', except: ['10.200.0.0/16'] } }] },
        ],
      },
    });
  }

  /** What the pod with the held connection has seen: answers, and whether the connection has ended. */
  async held(): Promise<{ readonly answers: number; readonly isBroken: boolean }> {
    let text = '';
    for await (const line of podLog(this.#client.core.v1.pods.namespace(NAMESPACE), 'held')) text += line;
    const lines = text.trimEnd().split('\n');
    return {
      answers: lines.filter((line) => line.startsWith('answer steady-')).length,
      isBroken: lines.includes('broken'),
    };
  }

  async delete(): Promise<void> {
    await this.#client.core.v1.namespaces.delete(NAMESPACE);
  }

  async isGone(): Promise<boolean> {
    const { items } = await this.#client.core.v1.namespaces.list();
    return !items.some(({ metadata }) => metadata.name === NAMESPACE);
  }

  async #addServer(service: ServiceName): Promise<void> {
    const number = this.#created++;
    const name = `${service}-${number}`;
    this.#servers.get(service)?.push(name);
    await this.#create(name, { nodeName: this.#nodeAt(number), labels: { service } });
  }

  #nodeAt(index: number): string {
    return this.#nodes[index % this.#nodes.length] ?? '';
  }

  async #create(name: string, { nodeName, labels }: Place): Promise<void> {
    await this.#client.core.v1.pods.namespace(NAMESPACE).create({
      metadata: { name, labels },
      spec: {
        nodeName,
        terminationGracePeriodSeconds: 1,
        containers: [
          {
            name: 'main',
            image: IMAGE,
            args: ['netexec', `--http-port=${HTTP_PORT}`, `--udp-port=${UDP_PORT}`],
            readinessProbe: { httpGet: { path: '/hostname', port: HTTP_PORT }, periodSeconds: 1 },
          },
        ],
      },
    });
  }

  async #createHeld(): Promise<void> {
    const command = ['bash', '-c', HELD_SCRIPT, 'held', this.addressOf('steady')];
    await this.#client.core.v1.pods.namespace(NAMESPACE).create({
      metadata: { name: 'held' },
      spec: {
        nodeName: this.#nodeAt(1),
        restartPolicy: 'Never',
        terminationGracePeriodSeconds: 1,
        containers: [{ name: 'main', image: IMAGE, command }],
      },
    });
  }

  async #list(): Promise<readonly Observed<Pod>[]> {
    return (await this.#client.core.v1.pods.namespace(NAMESPACE).list()).items;
  }
}

function isReady({ status }: Observed<Pod>): boolean {
  return status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true;
}
