import { type MetricRegistry, runTogether } from '../../base/index.ts';
import { Node, type Observed } from '../../client/index.ts';
import type { AppContext, Part, PreparedPart } from '../../kit/index.ts';
import { Nft } from '../nftables/index.ts';
import { type PolicyEngine, policyEngine, type PolicyFeed } from '../policies/index.ts';
import { bridgeProblem } from './bridge-filter.ts';
import { PolicyTable } from './policy-table.ts';
import { TableGuard } from './table-guard.ts';

export interface PolicyEnforcerOptions {
  /** The node whose pods are isolated: the one that this program runs on. */
  readonly node: string;
  /** Default the NetworkPolicies of the cluster. */
  readonly policies?: PolicyFeed;
  /** The name of the table, of the family `inet`; default `keelson-policies`. Engines beside each other have one each. */
  readonly table?: string;
  /** The ranges of the addresses of the node's pods; default those in the Node's spec. */
  readonly podRanges?: readonly string[];
  /** The program that changes the packet filter; default `nft`, found in PATH. */
  readonly program?: string;
}

/** Enforces policies on a node, as a part of an app. */
export interface PolicyEnforcer extends Part, Pick<PolicyEngine, 'attached' | 'detached' | 'isInForce'> {
  /** Removes the table, also one that an earlier process has made. */
  cleanUp(): Promise<void>;
}

/**
 * Enforces policies on the node that it runs on, with nftables.
 *
 * Example: `app('network-policy', [policyEnforcer({ node: 'n1' })])`
 */
export function policyEnforcer(options: PolicyEnforcerOptions): PolicyEnforcer {
  const { node, policies, program } = options;
  const nft = new Nft(program === undefined ? {} : { program });
  const table = new PolicyTable({ nft, ...(options.table === undefined ? {} : { name: options.table }) });
  const engine = policyEngine({
    node,
    ...(policies === undefined ? {} : { policies }),
    apply: (changes) => table.apply(changes),
  });
  return {
    name: table.name,
    needs: [
      ...(engine.needs ?? []),
      ...(options.podRanges === undefined ? [{ group: '', resource: 'nodes', verbs: ['get', 'list', 'watch'] }] : []),
    ],
    prepare: (context) => new RunningEnforcer(context, { ...options, nft, table, engine }),
    attached: (pod, addresses, signal) => engine.attached(pod, addresses, signal),
    detached: (pod) => engine.detached(pod),
    get isInForce() {
      return engine.isInForce;
    },
    cleanUp: () => table.remove(),
  };
}

interface EnforcerParts extends Pick<PolicyEnforcerOptions, 'node' | 'podRanges' | 'program'> {
  readonly nft: Nft;
  readonly table: PolicyTable;
  readonly engine: PolicyEngine;
}

/** A bridge that is made later, or a setting that an administrator changes, is noticed after this time. */
const BRIDGE_EVERY_MS = 60_000;

class RunningEnforcer implements PreparedPart {
  readonly #context: AppContext;
  readonly #parts: EnforcerParts;
  readonly #engine: PreparedPart;
  readonly #guard: TableGuard;
  #bridgeProblem: string | undefined;

  constructor(context: AppContext, parts: EnforcerParts) {
    const { node, nft, table, engine, program, podRanges } = parts;
    const { clock, log, metrics } = context;
    this.#context = context;
    this.#parts = parts;
    this.#engine = engine.prepare(context);
    this.#guard = new TableGuard({
      ...{ nft, clock, log, table: table.name, chain: 'forward-egress' },
      ...(program === undefined ? {} : { program }),
      isWanted: () => table.isThere,
      lost: () => engine.resync(),
    });
    metrics.shared(tableMetrics).add(table, () => this.#bridgeProblem === undefined);
    if (podRanges === undefined) this.#followRanges(node);
  }

  get isIdle(): boolean {
    return this.#engine.isIdle ?? true;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { podRanges } = this.#parts;
    if (podRanges !== undefined) await this.#setRanges(podRanges);
    await runTogether([this.#engine, this.#guard, { run: (scope) => this.#watchBridge(scope) }], signal);
  }

  #followRanges(node: string): void {
    const set = ({ spec }: Observed<Node>): Promise<void> => {
      const single = spec?.podCIDR === undefined ? [] : [spec.podCIDR];
      return this.#setRanges(spec?.podCIDRs ?? single);
    };
    this.#context.onChange(Node, { add: set, update: set }, { fieldSelector: `metadata.name=${node}` });
  }

  async #setRanges(ranges: readonly string[]): Promise<void> {
    const { table, engine } = this.#parts;
    try {
      await table.setRanges(ranges);
    } catch (error) {
      this.#context.log.warn('ranges of pods could not be set, everything is applied again', { error });
      engine.resync();
    }
  }

  async #watchBridge(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#context;
    while (!signal.aborted) {
      const problem = await bridgeProblem();
      if (problem !== undefined && problem !== this.#bridgeProblem)
        log.warn('policies are not enforced everywhere', { problem });
      this.#bridgeProblem = problem;
      await clock.sleep(BRIDGE_EVERY_MS, signal);
    }
  }
}

/** The figures of all tables of an app. */
class TableMetrics {
  readonly #tables = new Map<PolicyTable, () => boolean>();

  constructor(registry: MetricRegistry) {
    registry.callback(
      {
        name: 'keelson_policy_table_pods',
        help: 'Pods of the node by whether a policy isolates them.',
        labels: ['table', 'isolated'],
      },
      () =>
        [...this.#tables.keys()].flatMap(({ name, pods, isolatedPods }) => [
          { labels: { table: name, isolated: 'true' }, value: isolatedPods },
          { labels: { table: name, isolated: 'false' }, value: pods - isolatedPods },
        ]),
    );
    registry.callback(
      {
        name: 'keelson_policy_table_bridge_filtered',
        help: '0 when policies do not hold between pods on one bridge.',
        labels: ['table'],
      },
      () =>
        [...this.#tables].map(([{ name }, isFiltered]) => ({ labels: { table: name }, value: isFiltered() ? 1 : 0 })),
    );
  }

  add(table: PolicyTable, isFiltered: () => boolean): void {
    this.#tables.set(table, isFiltered);
  }
}

function tableMetrics(registry: MetricRegistry): TableMetrics {
  return new TableMetrics(registry);
}
