import { Slice, Turns } from '../../base/index.ts';
import { type Nft, NftError } from '../nftables/nft.ts';
import { type OwnedContent, OwnedTable } from '../nftables/owned-table.ts';
import type { IpFamily, ProxiedPort, ServiceUpdate } from '../services/index.ts';
import { baseChains, CHECKED_CHAIN, CONTAINERS, declareBase, hookedChains, SHARED_CONTAINERS } from './base-rules.ts';
import { portRules } from './port-rules.ts';
import type { ProxyTools, RuleOptions } from './proxy-options.ts';
import { proxyMetrics } from './proxy-metrics.ts';
import { type RuleSettings, TABLE, wordsOf } from './rule-settings.ts';
import { canDetectLocal, settingsOf } from './settings-of.ts';

export interface RuleWriterOptions extends ProxyTools {
  readonly nft: Nft;
  readonly rules: RuleOptions;
}

/** Time for which a chain that is no longer used is kept. */
const KEEP_MS = 1000;
/** About 60 MB of `nft`'s memory. */
const COMMANDS_AT_ONCE = 10_000;

/** Keeps the nftables rules of one IP family at what Services say. */
export class RuleWriter {
  readonly family: IpFamily;
  readonly #options: RuleWriterOptions;
  readonly #table: string;
  readonly #owned: OwnedTable;
  readonly #turns = new Turns();
  #settings: RuleSettings | undefined;
  /** After a sync of everything failed, the next one begins with a new table. */
  #replacesTable = false;
  #lastUnusedMs = -Infinity;

  constructor(family: IpFamily, options: RuleWriterOptions) {
    this.family = family;
    this.#options = options;
    this.#table = `${wordsOf(family).ip} ${TABLE}`;
    this.#owned = new OwnedTable(this.#table, SHARED_CONTAINERS);
  }

  async sync(update: ServiceUpdate): Promise<void> {
    const { log, metrics } = this.#options;
    const failures = proxyMetrics(metrics).syncFailures.with({ ip_family: this.family });
    if (!update.isFull && this.#settings !== undefined) {
      try {
        return await this.#writeChanges(update, this.#settings);
      } catch (error) {
        failures.add();
        if (!(error instanceof NftError)) throw error;
        log.warn('changed rules were refused: all are made again', { ipFamily: this.family, error });
      }
    }
    try {
      await this.#writeAll(update);
    } catch (error) {
      failures.add();
      throw error;
    }
  }

  /** Whether the table is there with its rules; removes chains that are no longer used. */
  async check(): Promise<boolean> {
    if (this.#settings === undefined) return true;
    if (!(await this.#hasRules(this.#settings))) return false;
    await this.#removeUnused();
    return true;
  }

  async #writeAll(update: ServiceUpdate): Promise<void> {
    const { nft, rules } = this.#options;
    if (!canDetectLocal(rules, update.node.podCidrs))
      throw new Error(`Cannot recognize traffic of pods: node "${update.node.name}" has no podCIDR yet`);
    const settings = settingsOf(this.family, rules, update);
    const existing = this.#replacesTable ? undefined : await this.#existing();
    // Until the last transaction is made a table that exists keeps its elements, but one that is replaced would have none.
    const commandsAtOnce = this.#replacesTable ? Infinity : COMMANDS_AT_ONCE;
    this.#replacesTable = true; // unless this succeeds
    let commands = [
      ...(existing === undefined ? [`add table ${this.#table}`, `delete table ${this.#table}`] : []),
      ...frameOf(this.#table, settings),
    ];
    const contents = rulesOf(update.ports.values(), settings);
    for await (const next of this.#owned.replace(contents, { existing, slice: this.#slice(), commandsAtOnce })) {
      if (commands.length > 0) await nft.apply(commands);
      commands = next;
    }
    await nft.apply([...commands, ...hookedChains(settings)]);
    this.#settings = settings;
    this.#replacesTable = false;
    this.#lastUnusedMs = this.#options.clock.monotonic();
  }

  async #writeChanges({ changes }: ServiceUpdate, settings: RuleSettings): Promise<void> {
    await this.#removeUnused();
    const contentOf = (port: ProxiedPort | undefined): OwnedContent | undefined =>
      port === undefined ? undefined : portRules(port, settings);
    const commands = await this.#owned.change(
      mapped(changes, ({ name, before, after }) => ({
        owner: name,
        before: contentOf(before),
        after: contentOf(after),
      })),
      this.#slice(),
    );
    if (commands.length > 0) await this.#options.nft.apply(commands);
    this.#lastUnusedMs = this.#options.clock.monotonic();
  }

  /** Deletes chains that have not been used for a while. A kernel that still counts them as used gets another chance. */
  async #removeUnused(): Promise<void> {
    const { nft, clock, log, metrics } = this.#options;
    const commands = this.#owned.removable();
    if (commands.length === 0 || clock.monotonic() - this.#lastUnusedMs < KEEP_MS) return;
    try {
      await nft.apply(commands);
      this.#owned.removed(commands);
    } catch (error) {
      proxyMetrics(metrics).cleanupFailures.with({ ip_family: this.family }).add();
      if (error instanceof NftError && error.isMissing) throw error; // the table was changed by others
      log.warn('unused chains cannot be deleted yet', { error, ipFamily: this.family, chains: commands.length });
    }
  }

  /** The ports' chains and sets in the table; undefined without the table. */
  async #existing(): Promise<{ readonly chains: readonly string[]; readonly sets: readonly string[] } | undefined> {
    const { nft } = this.#options;
    const { ip } = wordsOf(this.family);
    if (!(await nft.hasTable(ip, TABLE))) return undefined;
    const chains = await nft.names('chain', ip, TABLE);
    const sets = await nft.names('set', ip, TABLE);
    return { chains: chains.filter(isOfPort), sets: sets.filter(isOfPort) };
  }

  async #hasRules(settings: RuleSettings): Promise<boolean> {
    const element = this.#owned.someElement(CONTAINERS.serviceIps);
    try {
      const text = await this.#options.nft.print(
        `list chain ${this.#table} ${CHECKED_CHAIN}`,
        ...(element === undefined ? [] : [`get element ${this.#table} ${CONTAINERS.serviceIps} { ${element} }`]),
      );
      const rules = (/chain [^{]*\{\n(.*?)\n\t\}/s.exec(text)?.[1] ?? '').split('\n');
      return rules.filter((line) => line !== '').length === baseChains(settings).get(CHECKED_CHAIN)?.length;
    } catch (error) {
      if (error instanceof NftError && error.isMissing) return false;
      throw error;
    }
  }

  #slice(): Slice {
    return new Slice(this.#turns, this.#options.clock);
  }
}

/** Deletes the tables of both families, where they are there. */
export async function removeRules(nft: Nft, families: readonly IpFamily[]): Promise<void> {
  for (const family of families) {
    const table = `${wordsOf(family).ip} ${TABLE}`;
    await nft.apply([`add table ${table}`, `delete table ${table}`]); // a table that is missing cannot be deleted
  }
}

function* mapped<From, To>(all: Iterable<From>, map: (each: From) => To): Generator<To> {
  for (const each of all) yield map(each);
}

function* rulesOf(
  ports: Iterable<ProxiedPort>,
  settings: RuleSettings,
): Generator<readonly [string, OwnedContent], void> {
  for (const port of ports) yield [port.name, portRules(port, settings)];
}

/** The table without anything of ports, and without hooks: they come last, so that nothing is refused that is not there yet. */
function frameOf(table: string, settings: RuleSettings): readonly string[] {
  const chains = [...baseChains(settings)];
  return [
    ...declareBase(settings),
    ...chains.flatMap(([name]) => [`add chain ${table} ${name}`, `flush chain ${table} ${name}`]),
    ...chains.flatMap(([name, rules]) => rules.map((rule) => `add rule ${table} ${name} ${rule}`)),
  ];
}

/** Names of ports' chains and sets have slashes, and no others have. */
function isOfPort(name: string): boolean {
  return name.includes('/');
}
