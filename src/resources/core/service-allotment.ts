import { internalError, invalid, invalidValue, quoteGo, StatusError } from '../../api/index.ts';
import type { Service, ServicePort } from '../../api/types/core/v1.d.ts';
import type { Alongside, Change, WriteContext } from '../../apiserver/index.ts';
import type { KindEnvironment } from '../kind-environment.ts';
import type { Whole } from '../kind.ts';
import type { IpFamily } from '../networking/ip-range.ts';
import { ServiceAddresses } from '../networking/service-addresses.ts';
import { NodePorts, type PortChoice } from './node-ports.ts';
import { decideFamilies } from './service-families.ts';
import {
  addressesOf,
  isExternalName,
  isHeadless,
  needsHealthCheck,
  nodePortsOf,
  usesNodePorts,
  wantsNodePorts,
} from './service-shape.ts';

type AnyService = Whole<Service>;

const KIND = { group: '', resource: 'Service' };

/**
 * Allocates the cluster's addresses and node ports to services. They are chosen while a write is prepared and taken in its
 * transaction; the loser of a race chooses again.
 */
export class ServiceAllotment {
  readonly #addresses: ServiceAddresses;
  readonly #nodePorts: NodePorts;

  constructor(environment: KindEnvironment) {
    this.#addresses = new ServiceAddresses(environment);
    this.#nodePorts = new NodePorts(environment);
  }

  async choose(service: AnyService, old: AnyService | undefined, context: WriteContext): Promise<void> {
    decideFamilies(service, old, this.#addresses.families);
    await this.#chooseAddresses(service, old, context);
    await this.#choosePorts(service, old, context);
  }

  async #chooseAddresses(service: AnyService, old: AnyService | undefined, context: WriteContext): Promise<void> {
    if (isExternalName(service) || isHeadless(service) || (old !== undefined && isHeadless(old))) return;
    const { ipFamilies = [], clusterIPs = [] } = service.spec;
    const kept = old === undefined || isExternalName(old) ? 0 : (old.spec.ipFamilies ?? []).length;
    const chosen: string[] = [];
    for (const [index, family] of ipFamilies.entries()) {
      const wanted = clusterIPs[index] ?? '';
      // An existing address is not chosen again: validation decides whether it may change.
      const isKept = index < kept && wanted !== '';
      chosen.push(
        isKept ? wanted : await this.#chooseAddress(service, { family: family as IpFamily, wanted }, context),
      );
    }
    const all = [...chosen, ...clusterIPs.slice(chosen.length)];
    service.spec = { ...service.spec, clusterIP: all[0], clusterIPs: all.length === 0 ? undefined : all };
  }

  async #chooseAddress(
    service: AnyService,
    { family, wanted }: { readonly family: IpFamily; readonly wanted: string },
    context: WriteContext,
  ): Promise<string> {
    const found = await this.#addresses.find(family, wanted, context);
    if (typeof found === 'string') return found;
    const name = service.metadata.name ?? '';
    if (found.isFull) {
      throw internalError(new Error(`failed to allocate a serviceIP for Service ${quoteGo(name)}: ${found.refused}`));
    }
    const which = wanted === '' ? '' : ` ${wanted}`;
    const detail = `failed to allocate IP${which}: ${found.refused}`;
    throw invalid(KIND, name, [invalidValue('spec.clusterIPs', service.spec.clusterIPs ?? [''], detail)]);
  }

  async #choosePorts(service: AnyService, old: AnyService | undefined, context: WriteContext): Promise<void> {
    const needsCheck = needsHealthCheck(service) && (old === undefined || !needsHealthCheck(old));
    if (!usesNodePorts(service) && !needsCheck) return;
    const choice = await this.#nodePorts.open(context);
    if (usesNodePorts(service)) {
      service.spec = { ...service.spec, ports: choosePorts(service, old, choice) };
    }
    if (needsCheck) {
      service.spec = { ...service.spec, healthCheckNodePort: chooseHealthCheckPort(service, choice) };
    }
  }

  /** Allocates what a service has added, and releases what it has removed. */
  async alongside(change: Change, context: WriteContext): Promise<Alongside> {
    const service = change.type === 'delete' ? undefined : (change.object as unknown as AnyService);
    const old = change.type === 'create' ? undefined : (change.old as unknown as AnyService);
    const now = service === undefined ? NOTHING : heldBy(service);
    const before = old === undefined ? NOTHING : heldBy(old);
    const taken = without(now.addresses, before.addresses).map((address) =>
      this.#addresses.taking(address, service as never, context),
    );
    const released = without(before.addresses, now.addresses);
    const ports = await this.#nodePorts.changing(without(now.ports, before.ports), without(before.ports, now.ports));
    return {
      conditions: [...taken.map(({ condition }) => condition), ...ports.conditions],
      operations: [
        ...taken.map(({ operation }) => operation),
        ...released.map((address) => this.#addresses.releasing(address)),
        ...ports.operations,
      ],
    };
  }
}

interface Held {
  readonly addresses: readonly string[];
  readonly ports: readonly number[];
}

const NOTHING: Held = { addresses: [], ports: [] };

function heldBy(service: AnyService): Held {
  const { healthCheckNodePort = 0 } = service.spec;
  const check = needsHealthCheck(service) && healthCheckNodePort !== 0 ? [healthCheckNodePort] : [];
  return { addresses: addressesOf(service), ports: [...new Set([...nodePortsOf(service.spec), ...check])] };
}

function portRefusal(
  service: AnyService,
  index: number,
  refused: { readonly port: number; readonly why: string },
): StatusError {
  const error = invalidValue(`spec.ports[${index}].nodePort`, refused.port, refused.why);
  return invalid(KIND, service.metadata.name ?? '', [error]);
}

/** A node port for each port that needs one; on creation, protocols of the same port number share one. */
function choosePorts(service: AnyService, old: AnyService | undefined, choice: PortChoice): ServicePort[] | undefined {
  const had = new Set(old === undefined ? [] : nodePortsOf(old.spec));
  const taken = new Set<number>();
  const byPort = new Map<number, number>();
  const ports = service.spec.ports ?? [];
  const take = (index: number, port: number): number => {
    if (had.has(port) || taken.has(port)) return port;
    const why = choice.take(port);
    if (why !== undefined) throw portRefusal(service, index, { port, why });
    if (old !== undefined) taken.add(port);
    return port;
  };
  const takeAny = (): number => {
    const port = choice.takeAny();
    if (port === undefined) throw internalError(new Error('failed to allocate a nodePort: range is full'));
    return port;
  };
  const updated = new Set<string>();
  return service.spec.ports?.map((port, index) => {
    const wanted = port.nodePort ?? 0;
    if (wanted === 0 && !wantsNodePorts(service)) return port;
    if (old !== undefined) {
      const nodePort = wanted === 0 ? takeAny() : take(index, wanted);
      const pair = `${port.protocol ?? ''} ${nodePort}`;
      // Upstream answers with this plain error, before it validates the update.
      if (updated.has(pair)) throw new StatusError({ code: 500, message: `duplicate nodePort: {${pair}}` });
      updated.add(pair);
      return { ...port, nodePort };
    }
    const shared = byPort.get(port.port);
    if (shared !== undefined)
      return { ...port, nodePort: wanted === 0 || wanted === shared ? shared : take(index, wanted) };
    const requested = ports.slice(index).find((other) => other.port === port.port && (other.nodePort ?? 0) !== 0);
    const nodePort = requested === undefined ? takeAny() : take(index, requested.nodePort ?? 0);
    byPort.set(port.port, nodePort);
    return { ...port, nodePort };
  });
}

function chooseHealthCheckPort({ spec }: AnyService, choice: PortChoice): number {
  const wanted = spec.healthCheckNodePort ?? 0;
  const refusal = wanted === 0 ? undefined : choice.take(wanted);
  if (refusal !== undefined) {
    throw internalError(new Error(`failed to allocate requested HealthCheck NodePort ${wanted}: ${refusal}`));
  }
  const port = wanted === 0 ? choice.takeAny() : wanted;
  if (port === undefined) throw internalError(new Error('failed to allocate a HealthCheck NodePort 0: range is full'));
  return port;
}

function without<T>(items: readonly T[], others: readonly T[]): T[] {
  const known = new Set(others);
  return items.filter((item) => !known.has(item));
}
