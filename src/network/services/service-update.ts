import type { Logger } from '../../base/index.ts';
import type { NodeFacts } from './node-facts.ts';
import type { IpFamily, ProxiedPort } from './proxied-port.ts';
import type { PortChange } from './service-table.ts';

/** What a proxy has to do in one IP family. */
export interface ServiceUpdate extends Surroundings {
  readonly family: IpFamily;
  /**
   * Whether the rules have to be made as if there were none of this process: at the start, after a sync that failed, when the node or
   * the ranges of Services have changed, and once an hour. `changes` then has every port as new.
   */
  readonly isFull: boolean;
  readonly changes: readonly PortChange[];
  /** Every port after the changes, by name. */
  readonly ports: ReadonlyMap<string, ProxiedPort>;
}

/** What rules depend on besides Services. */
export interface Surroundings {
  readonly node: NodeFacts;
  /** Ranges of cluster IPs, of both families; empty where the server does not tell. */
  readonly serviceCidrs: readonly string[];
}

/** What a proxy works with while it writes rules. */
export interface SyncContext {
  /** Aborts when the proxy ends. */
  readonly signal: AbortSignal;
  readonly log: Logger;
}
