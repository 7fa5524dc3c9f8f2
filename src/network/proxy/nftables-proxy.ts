import { type Duration, runTogether } from '../../base/index.ts';
import type { AppContext, Part, PreparedPart } from '../../kit/index.ts';
import { Conntrack } from '../conntrack/index.ts';
import { Nft } from '../nftables/nft.ts';
import { type IpFamily, serviceProxy, type ServiceProxyState } from '../services/index.ts';
import { FamilyRules } from './family-rules.ts';
import { healthAnswer } from './health-answers.ts';
import { HealthPorts } from './health-ports.ts';
import { FAMILIES, type ProxyTools, type RuleOptions } from './proxy-options.ts';
import { ProxyServer } from './proxy-server.ts';
import { canDetectLocal } from './settings-of.ts';

export interface NftablesProxyOptions {
  /** The name of the node that it runs on. */
  readonly node: string;
  /** Default both. */
  readonly families?: readonly IpFamily[];
  readonly rules?: RuleOptions;
  /** Default 1s. */
  readonly minSyncPeriod?: Duration;
  /** Default 30s. */
  readonly syncPeriod?: Duration;
  /** Where `/healthz` and `/livez` are answered; default nowhere. */
  readonly healthz?: ProxyAddress | undefined;
  /** Whether a port that cannot be opened ends the proxy; default false. */
  readonly arePortsRequired?: boolean;
  readonly watchesServiceCidrs?: boolean;
  readonly nft?: Nft;
  readonly conntrack?: Conntrack;
}

export interface ProxyAddress {
  readonly host: string;
  readonly port: number;
  /** Called when the port is open. */
  onListening?(address: { readonly host: string; readonly port: number }): void;
}

/** The component of its events, and where they are written. */
const COMPONENT = 'kube-proxy';
/** How long the first sync waits for the node's ranges of pods, where they are needed. */
const POD_CIDR_WAIT: Duration = '5m';

/** A proxy for Services on this machine, by nftables rules. */
export function nftablesProxy(options: NftablesProxyOptions): Part {
  return { name: 'service-proxy', prepare: (context) => new PreparedNftablesProxy(options, context) };
}

class PreparedNftablesProxy implements PreparedPart {
  readonly #options: NftablesProxyOptions;
  readonly #context: AppContext;
  readonly #families: readonly FamilyRules[];
  readonly #inner: PreparedPart;
  #state: ServiceProxyState | undefined;

  constructor(options: NftablesProxyOptions, context: AppContext) {
    this.#options = options;
    this.#context = context;
    const { nft = new Nft(), conntrack = new Conntrack(), rules = {} } = options;
    const tools: ProxyTools = { clock: context.clock, log: context.log, metrics: context.metrics };
    const events = context.events(COMPONENT, { host: options.node });
    this.#families = (options.families ?? FAMILIES).map((family) => {
      const isProxyHealthy = (): boolean => this.#state?.health.report().isHealthy ?? false;
      const healthPorts = new HealthPorts({ family, node: options.node, events, isProxyHealthy, log: context.log });
      return new FamilyRules(family, { ...tools, healthPorts, nft, rules, conntrack });
    });
    this.#inner = this.#serviceProxy().prepare(context);
  }

  get isIdle(): boolean {
    return this.#inner.isIdle ?? true;
  }

  async run(signal: AbortSignal): Promise<void> {
    this.#context.events(COMPONENT, { host: this.#options.node }).event(nodeSubject(this.#options.node), {
      reason: 'Starting',
      action: 'StartKubeProxy',
      message: '',
    });
    try {
      await runTogether([this.#inner, ...this.#servers()], signal);
    } finally {
      for (const family of this.#families) await family.end();
    }
  }

  #serviceProxy(): Part {
    const { node, rules = {}, minSyncPeriod, syncPeriod, watchesServiceCidrs } = this.#options;
    const needsPodCidrs = rules.detectLocalMode === 'NodeCIDR';
    return serviceProxy({
      node,
      families: this.#families.map(({ family }) => family),
      sync: (update) => this.#of(update.family).sync(update),
      check: (family) => this.#of(family).check(),
      onPrepared: (state) => void (this.#state = state),
      ...(minSyncPeriod === undefined ? {} : { minSyncPeriod }),
      ...(syncPeriod === undefined ? {} : { syncPeriod }),
      ...(watchesServiceCidrs === undefined ? {} : { watchesServiceCidrs }),
      ...(needsPodCidrs
        ? { isNodeUsable: ({ podCidrs }) => canDetectLocal(rules, podCidrs), nodeWait: POD_CIDR_WAIT }
        : {}),
    });
  }

  #servers(): readonly ProxyServer[] {
    const { healthz, arePortsRequired = false, node } = this.#options;
    if (healthz === undefined) return [];
    const { clock, log, metrics } = this.#context;
    const sources = { state: () => this.#state, metrics, clock };
    const failed = (error: unknown): void =>
      this.#context.events(COMPONENT, { host: node }).event(nodeSubject(node), {
        type: 'Warning',
        reason: 'FailedToStartProxierHealthcheck',
        action: 'StartKubeProxy',
        message: String(error),
      });
    return [
      new ProxyServer({
        name: 'healthz',
        ...healthz,
        isRequired: arePortsRequired,
        answer: ({ path }) => healthAnswer(path, sources),
        onFailure: failed,
        clock,
        log,
      }),
    ];
  }

  #of(family: IpFamily): FamilyRules {
    const found = this.#families.find((each) => each.family === family);
    if (found === undefined) throw new Error(`Cannot sync ${family}: the proxy has no rules for it`);
    return found;
  }
}

function nodeSubject(name: string) {
  return { apiVersion: 'v1', kind: 'Node', metadata: { name } };
}
