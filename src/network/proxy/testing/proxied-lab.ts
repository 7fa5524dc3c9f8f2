// A lab whose node has the rules of given Services.
import type { Service } from '../../../api/types/core/v1.d.ts';
import type { EndpointSlice } from '../../../api/types/discovery/v1.d.ts';
import { discardLogger, MetricRegistry, RealClock } from '../../../base/index.ts';
import { keyOf } from '../../../client/index.ts';
import { Nft } from '../../nftables/nft.ts';
import type { IpFamily, ServiceUpdate } from '../../services/index.ts';
import { ServiceTable } from '../../services/service-table.ts';
import type { NetworkLab } from '../../testing/network-lab.ts';
import type { RuleOptions } from '../proxy-options.ts';
import { RuleWriter } from '../rule-writer.ts';

const NO_PAUSES = { isOver: false, next: async () => undefined };
export const LAB_NODE = 'n1';
const SERVICE_CIDRS = ['10.96.0.0/16', 'fd00:96::/112'];

/** The rules of one family on the node of a lab. */
export class LabProxy {
  readonly nft: Nft;
  readonly #writer: RuleWriter;
  readonly #table: ServiceTable;
  readonly #family: IpFamily;
  readonly #lab: NetworkLab;
  #isFull = true;

  constructor(lab: NetworkLab, family: IpFamily = 'IPv4', rules: RuleOptions = {}) {
    const clock = new RealClock();
    this.nft = new Nft({ prefix: lab.node.prefix });
    const defaults: RuleOptions = {
      clusterCidrs: ['10.244.0.0/16', 'fd00:244::/48'],
      nodePortAddresses: ['0.0.0.0/0', '::/0'],
    };
    this.#writer = new RuleWriter(family, {
      nft: this.nft,
      rules: { ...defaults, ...rules },
      clock,
      log: discardLogger,
      metrics: new MetricRegistry(),
    });
    this.#table = new ServiceTable(family, LAB_NODE);
    this.#family = family;
    this.#lab = lab;
  }

  /** Takes in Services and slices, and writes what changes. */
  async apply(services: readonly Service[], slices: readonly EndpointSlice[] = []): Promise<void> {
    for (const service of services) this.#table.setService(keyOf(service as Parameters<typeof keyOf>[0]), service);
    for (const slice of slices) this.#table.setSlice(slice);
    await this.sync();
  }

  /** Takes Services out again. */
  async remove(...keys: readonly string[]): Promise<void> {
    for (const key of keys) this.#table.setService(key, undefined);
    await this.sync();
  }

  async sync(isFull = this.#isFull): Promise<void> {
    const changes = await this.#table.resolve(NO_PAUSES);
    const { ports } = this.#table;
    const update: ServiceUpdate = {
      family: this.#family,
      isFull,
      changes,
      ports,
      node: {
        name: LAB_NODE,
        zone: undefined,
        addresses: { IPv4: this.#lab.node.ipv4, IPv6: this.#lab.node.ipv6 },
        podCidrs: [],
        isEligible: true,
      },
      serviceCidrs: SERVICE_CIDRS,
    };
    await this.#writer.sync(update);
    this.#isFull = false;
  }

  check(): Promise<boolean> {
    return this.#writer.check();
  }
}
