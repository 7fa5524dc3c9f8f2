import { type ApiObject, formatIp, formatTime, instantOfMillis, isIpv4, parseIp } from '../../api/index.ts';
import type { ServiceCIDR } from '../../api/types/networking/v1.d.ts';
import type { ObjectsOf, WriteContext } from '../../apiserver/index.ts';
import type { Random } from '../../base/index.ts';
import type { Condition, Operation } from '../../store/index.ts';
import type { KindEnvironment } from '../kind-environment.ts';
import type { Whole } from '../kind.ts';
import { IpRange, type IpFamily } from './ip-range.ts';

/** Why no address is available, in upstream's words. */
type AddressRefusal = { readonly refused: string; readonly isFull: boolean };

const ALLOCATED = 'provided IP is already allocated';
const MISMATCH = 'the provided network does not match the current range';
const FULL = 'range is full';

/** Upstream's API server writes these objects as its own client, and so owns all that it sets. */
const OWNER = { manager: 'kube-apiserver', operation: 'Update', apiVersion: 'networking.k8s.io/v1' };
const OWNED = {
  'f:metadata': {
    'f:labels': {
      '.': {},
      'f:ipaddress.kubernetes.io/ip-family': {},
      'f:ipaddress.kubernetes.io/managed-by': {},
    },
  },
  'f:spec': { 'f:parentRef': { '.': {}, 'f:name': {}, 'f:namespace': {}, 'f:resource': {} } },
};

/**
 * The addresses of services. Each is an IPAddress object of the same name, written in the transaction that writes the
 * service, so that two services never have the same one and none is lost.
 */
export class ServiceAddresses {
  readonly #addresses: ObjectsOf;
  readonly #networks: ObjectsOf<Whole<ServiceCIDR>>;
  readonly #configured: readonly IpRange[];
  readonly #random: Random;

  constructor(environment: KindEnvironment) {
    this.#addresses = environment.objects.of('networking.k8s.io', 'ipaddresses');
    this.#networks = environment.objects.of('networking.k8s.io', 'servicecidrs');
    this.#configured = environment.serviceCidrs.map((cidr) => new IpRange(cidr));
    this.#random = environment.random;
  }

  /** The families that services can have, the default first. */
  get families(): readonly IpFamily[] {
    return [...new Set(this.#configured.map(({ family }) => family))];
  }

  /** A free address, or the requested one if it is free. Nothing is allocated before the service is written. */
  async find(family: IpFamily, wanted: string, context: WriteContext): Promise<string | AddressRefusal> {
    const ranges = (await this.#ranges()).filter((range) => range.family === family);
    if (wanted !== '') return this.#check(wanted, ranges, context);
    const [first] = ranges;
    if (context.dryRun && first !== undefined) return first.networkAddress; // a dry run does not search
    for (const range of ranges) {
      for (const address of range.candidates(this.#random)) {
        if ((await this.#addresses.newest('', address)) === undefined) return address;
      }
    }
    return { refused: FULL, isFull: true };
  }

  async #check(wanted: string, ranges: readonly IpRange[], context: WriteContext): Promise<string | AddressRefusal> {
    const address = parseIp(wanted);
    const isUsable = address !== undefined && ranges.some((range) => range.contains(address));
    if (!isUsable) {
      const [first] = ranges;
      const outside = `the provided IP (${wanted}) is not in the valid range. The range of valid IPs is ${first?.cidr ?? ''}`;
      return { refused: context.dryRun && first !== undefined ? outside : MISMATCH, isFull: false };
    }
    if (context.dryRun) return wanted;
    const isTaken = (await this.#addresses.newest('', formatIp(address))) !== undefined;
    return isTaken ? { refused: ALLOCATED, isFull: false } : wanted;
  }

  /** The networks to allocate from: those of ready ServiceCIDRs, else the configured ones. */
  async #ranges(): Promise<readonly IpRange[]> {
    const cidrs = (await this.#networks.newestList()).flatMap(readyCidrs);
    return cidrs.length === 0 ? this.#configured : [...new Set(cidrs)].map((cidr) => new IpRange(cidr));
  }

  /** Allocates an address for a service, if it is free. */
  taking(address: string, service: ApiObject, context: WriteContext): { condition: Condition; operation: Operation } {
    const name = canonical(address);
    const { namespace = '', name: serviceName = '' } = service.metadata;
    const now = formatTime(instantOfMillis(context.now));
    const object: ApiObject = {
      kind: 'IPAddress',
      apiVersion: 'networking.k8s.io/v1',
      metadata: {
        name,
        uid: context.newUid(),
        creationTimestamp: now,
        labels: {
          'ipaddress.kubernetes.io/ip-family': name.includes(':') ? 'IPv6' : 'IPv4',
          'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io',
        },
        managedFields: [{ ...OWNER, time: now, fieldsType: 'FieldsV1', fieldsV1: OWNED }],
      },
      spec: { parentRef: { resource: 'services', namespace, name: serviceName } },
    };
    const key = this.#addresses.keyOf('', name);
    return { condition: { key, modRevision: 0 }, operation: this.#addresses.putting(key, object) };
  }

  releasing(address: string): Operation {
    return { type: 'delete', key: this.#addresses.keyOf('', canonical(address)) };
  }
}

/** The family of a well-formed address. */
export function familyOf(address: string): IpFamily {
  const parsed = parseIp(address);
  return parsed !== undefined && isIpv4(parsed) ? 'IPv4' : 'IPv6';
}

function canonical(address: string): string {
  const parsed = parseIp(address);
  return parsed === undefined ? address : formatIp(parsed);
}

/** A network without a Ready condition counts as ready. */
function readyCidrs({ metadata, spec, status }: Whole<ServiceCIDR>): readonly string[] {
  if (metadata.deletionTimestamp !== undefined) return [];
  const ready = (status.conditions ?? []).find(({ type }) => type === 'Ready');
  return ready === undefined || ready.status === 'True' ? (spec.cidrs ?? []) : [];
}
