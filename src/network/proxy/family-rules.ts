import type { Conntrack } from '../conntrack/index.ts';
import type { Nft } from '../nftables/nft.ts';
import type { IpFamily, ServiceUpdate } from '../services/index.ts';
import type { HealthPorts } from './health-ports.ts';
import type { ProxyTools, RuleOptions } from './proxy-options.ts';
import { RuleWriter } from './rule-writer.ts';
import { settingsOf } from './settings-of.ts';
import { deleteStaleFlows } from './stale-flows.ts';

export interface FamilyRulesOptions extends ProxyTools {
  readonly nft: Nft;
  readonly conntrack: Conntrack;
  readonly healthPorts: HealthPorts;
  readonly rules: RuleOptions;
}

/** All that a proxy does for one IP family: rules, health ports, and the end of connections to former endpoints. */
export class FamilyRules {
  readonly family: IpFamily;
  readonly #options: FamilyRulesOptions;
  readonly #writer: RuleWriter;

  constructor(family: IpFamily, options: FamilyRulesOptions) {
    this.family = family;
    this.#options = options;
    this.#writer = new RuleWriter(family, options);
  }

  async sync(update: ServiceUpdate): Promise<void> {
    const { family } = this;
    const { conntrack, healthPorts, rules } = this.#options;
    await this.#writer.sync(update);
    await healthPorts.sync(update.ports.values(), settingsOf(family, rules, update).nodePortAddresses);
    if (update.changes.some(({ before, after }) => (after ?? before)?.protocol === 'UDP'))
      await deleteStaleFlows(update.ports.values(), { family, conntrack, tools: this.#options });
  }

  check(): Promise<boolean> {
    return this.#writer.check();
  }

  async end(): Promise<void> {
    await this.#options.healthPorts[Symbol.asyncDispose]();
  }
}
