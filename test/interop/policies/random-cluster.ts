import type {
  NetworkPolicy,
  NetworkPolicyPeer,
  NetworkPolicyPort,
  NetworkPolicySpec,
} from '../../../src/api/types/networking/v1.d.ts';
import type { SeededRandom } from '../../../src/base/index.ts';

type Labels = Readonly<Record<string, string>>;

/** A pod with fixed addresses; labels and namespace differ from cluster to cluster. */
export interface RandomPod {
  readonly name: string;
  readonly node: string;
  readonly addresses: readonly [ipv4: string, ipv6: string];
  readonly namespace: string;
  readonly labels: Labels;
}

/** All pods serve the same ports. */
export const PORTS = [
  { protocol: 'TCP', port: 80, name: 'http' },
  { protocol: 'TCP', port: 81, name: 'admin' },
  { protocol: 'UDP', port: 80, name: 'dns' },
] as const;

const NAMESPACES = ['x', 'y', 'z'];
const PLACES: readonly Pick<RandomPod, 'name' | 'node' | 'addresses'>[] = [
  { name: 'a', node: 'n1', addresses: ['10.1.0.2', 'fd01::2'] },
  { name: 'b', node: 'n1', addresses: ['10.1.0.3', 'fd01::3'] },
  { name: 'c', node: 'n1', addresses: ['10.1.0.4', 'fd01::4'] },
  { name: 'd', node: 'n2', addresses: ['10.2.0.2', 'fd02::2'] },
  { name: 'e', node: 'n2', addresses: ['10.2.0.3', 'fd02::3'] },
  { name: 'f', node: 'n2', addresses: ['10.2.0.4', 'fd02::4'] },
];
const BLOCKS = [
  '0.0.0.0/0', '10.0.0.0/8', '10.1.0.0/16', '10.1.0.2/32', '10.2.0.0/30', '192.168.77.0/24',
  '::/0', 'fd00::/8', 'fd01::/64', 'fd02::2/128', 'fd77::/64',
]; // prettier-ignore
const EXCEPT: Readonly<Record<string, readonly string[]>> = {
  '0.0.0.0/0': ['10.2.0.0/16', '10.1.0.4/32'],
  '10.0.0.0/8': ['10.1.0.0/30', '10.1.0.0/16', '10.2.0.3/32'],
  '::/0': ['fd77::/64', 'fd01::2/128'],
  'fd00::/8': ['fd02::/64'],
};

export type Change =
  | { readonly type: 'policy'; readonly policy: NetworkPolicy }
  | { readonly type: 'no policy'; readonly name: string; readonly namespace: string }
  | { readonly type: 'pod'; readonly pod: RandomPod; readonly before: RandomPod }
  | { readonly type: 'namespace'; readonly name: string; readonly labels: Labels };

/** A cluster that changes at random; the same seed gives the same changes. */
export class RandomCluster {
  readonly #random: SeededRandom;
  readonly namespaces = new Map<string, Labels>();
  readonly pods = new Map<string, RandomPod>();
  /** By `namespace/name`. */
  readonly policies = new Map<string, NetworkPolicy>();

  constructor(random: SeededRandom) {
    this.#random = random;
    for (const name of NAMESPACES) this.namespaces.set(name, { name, ...this.#labels() });
    for (const place of PLACES)
      this.pods.set(place.name, { ...place, namespace: this.#pick(NAMESPACES), labels: this.#labels() });
    for (let count = 1 + this.#random.int(4); count > 0; count--) this.#setPolicy();
  }

  /** Makes one change, and returns it. */
  change(): Change {
    const roll = this.#random.int(10);
    if (roll < 4 || this.policies.size === 0) return this.#setPolicy();
    if (roll < 6) return this.#removePolicy();
    if (roll < 9) return this.#changePod();
    const name = this.#pick(NAMESPACES);
    const labels = { name, ...this.#labels() };
    this.namespaces.set(name, labels);
    return { type: 'namespace', name, labels };
  }

  #setPolicy(): Change {
    const metadata = { namespace: this.#pick(NAMESPACES), name: this.#pick(['p', 'q', 'r']) };
    const policy: NetworkPolicy = { metadata, spec: this.#spec() };
    this.policies.set(`${metadata.namespace}/${metadata.name}`, policy);
    return { type: 'policy', policy };
  }

  #removePolicy(): Change {
    const key = this.#pick([...this.policies.keys()]);
    this.policies.delete(key);
    const [namespace = '', name = ''] = key.split('/');
    return { type: 'no policy', namespace, name };
  }

  /** Other labels, and sometimes another namespace: then it is another pod with the same addresses. */
  #changePod(): Change {
    const before = this.pods.get(this.#pick([...this.pods.keys()])) as RandomPod;
    const namespace = this.#chance(3) ? this.#pick(NAMESPACES) : before.namespace;
    const pod = { ...before, namespace, labels: this.#labels() };
    this.pods.set(pod.name, pod);
    return { type: 'pod', pod, before };
  }

  #spec(): NetworkPolicySpec {
    const policyTypes = this.#pick([['Ingress'], ['Egress'], ['Ingress', 'Egress']] as const);
    return {
      podSelector: this.#selector(),
      policyTypes: [...policyTypes],
      ...(policyTypes.some((type) => type === 'Ingress')
        ? {
            ingress: this.#list(3, () => ({
              from: this.#list(3, () => this.#peer()),
              ports: this.#list(3, () => this.#port()),
            })),
          }
        : {}),
      ...(policyTypes.some((type) => type === 'Egress')
        ? {
            egress: this.#list(3, () => ({
              to: this.#list(3, () => this.#peer()),
              ports: this.#list(3, () => this.#port()),
            })),
          }
        : {}),
    };
  }

  #peer(): NetworkPolicyPeer {
    switch (this.#random.int(5)) {
      case 0:
        return { podSelector: this.#selector() };
      case 1:
        return { namespaceSelector: this.#selector() };
      case 2:
        return { namespaceSelector: this.#selector(), podSelector: this.#selector() };
      default: {
        const cidr = this.#pick(BLOCKS);
        const except = (EXCEPT[cidr] ?? []).filter(() => this.#chance(2));
        return { ipBlock: { cidr, ...(except.length > 0 ? { except } : {}) } };
      }
    }
  }

  #port(): NetworkPolicyPort {
    const protocol = this.#chance(3) ? 'UDP' : 'TCP';
    switch (this.#random.int(5)) {
      case 0:
        return { protocol };
      case 1:
        return { protocol, port: 79 + this.#random.int(2), endPort: 80 + this.#random.int(3) };
      case 2:
        return { protocol, port: this.#pick(['http', 'admin', 'dns', 'none']) };
      default:
        return { protocol, port: 80 + this.#random.int(2) };
    }
  }

  /** NotIn only about a label that everything has: without the label Cyclonus says no where Kubernetes says yes. */
  #selector(): NonNullable<NetworkPolicySpec['podSelector']> {
    const key = this.#pick(['app', 'tier']);
    const value = this.#pick(['1', '2']);
    switch (this.#random.int(6)) {
      case 0:
        return {};
      case 1:
        return { matchExpressions: [{ key, operator: 'In', values: [value, '3'] }] };
      case 2:
        return { matchExpressions: [{ key: 'app', operator: 'NotIn', values: [value] }] };
      case 3:
        return { matchExpressions: [{ key: 'tier', operator: this.#chance(2) ? 'Exists' : 'DoesNotExist' }] };
      default:
        return { matchLabels: { [key]: value } };
    }
  }

  #labels(): Labels {
    const app = this.#pick(['1', '2', '3']);
    return this.#chance(2) ? { app } : { app, tier: this.#pick(['1', '2']) };
  }

  #list<T>(max: number, make: () => T): T[] {
    return Array.from({ length: this.#random.int(max) }, make);
  }

  #chance(oneIn: number): boolean {
    return this.#random.int(oneIn) === 0;
  }

  #pick<T>(from: readonly T[]): T {
    return from[this.#random.int(from.length)] as T;
  }
}
