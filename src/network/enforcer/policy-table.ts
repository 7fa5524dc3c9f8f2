import { deepEqual } from '../../base/index.ts';
import type {
  PolicyChanges,
  PolicyTier,
  ResolvedPod,
  ResolvedPolicy,
  ResolvedRule,
  SetChange,
} from '../policies/index.ts';
import { blocksByFamily, setEntries } from '../policies/index.ts';
import { type Nft, NftError } from '../nftables/index.ts';
import { ElementChanges } from './element-changes.ts';
import { comment, FAMILIES, policyChain, setName, tierChain, TYPES } from './nft-names.ts';
import { type Direction, DIRECTIONS, ruleTexts } from './rule-text.ts';
import { skeletonLines } from './table-skeleton.ts';
import { TableText } from './table-text.ts';

export interface PolicyTableOptions {
  readonly nft: Pick<Nft, 'apply'>;
  /** The name of the table, of the family `inet`; default `keelson-policies`. */
  readonly name?: string;
}

/** The name of the table by default. */
export const POLICY_TABLE = 'keelson-policies';

/**
 * Policies as a table of nftables.
 *
 * Rules look at the connection that a packet belongs to and not at the packet, so every packet of both directions is judged by the policies
 * of now: a connection that is no longer allowed stops at once, and goes on if it is allowed again. There are two base chains on the way of
 * a forwarded packet, one for the policies of the pod that the connection came from and one for those of the pod that it leads to; what one
 * accepts the other still sees. Connections that the node itself opens are not looked at; those that lead to it are (egress).
 *
 * While there is no policy in the cluster, there is no table.
 *
 * Guarantees: `apply` and `setRanges` are one transaction each. After a rejection the next changes have to be whole.
 */
export class PolicyTable {
  readonly name: string;
  readonly #nft: Pick<Nft, 'apply'>;
  readonly #text: TableText;
  /** What the table is about, whether or not it is there. */
  readonly #pods = new Map<string, ResolvedPod>();
  readonly #policies = new Map<string, ResolvedPolicy>();
  /** By the name of the first chain. */
  readonly #chains = new Map<string, PodChain>();
  /** Chains of tiers that are empty and wait to be deleted. */
  readonly #unused = new Set<string>();
  #ranges: readonly string[] = [];
  #isThere = false;

  constructor({ nft, name = POLICY_TABLE }: PolicyTableOptions) {
    this.#nft = nft;
    this.#text = new TableText(name);
    this.name = name;
  }

  /** Whether there is a policy, so that the table should be there. */
  get isThere(): boolean {
    return this.#isThere;
  }

  /** The number of known pods. */
  get pods(): number {
    return this.#pods.size;
  }

  get isolatedPods(): number {
    return [...this.#pods.values()].filter(({ ingress, egress }) => ingress.length + egress.length > 0).length;
  }

  async apply(changes: PolicyChanges): Promise<void> {
    const wasThere = this.#isThere;
    const isNew = changes.isWhole || !wasThere;
    if (!isNew) await this.#deleteUnused();
    const podsBefore = isNew ? NO_PODS : new Map(this.#pods);
    const inlineBefore = new Set([...changes.policies.keys()].flatMap((key) => this.#inlineIn(key)));
    if (changes.isWhole) for (const map of [this.#pods, this.#policies]) map.clear();
    const podChanges = isNew ? new Map([...this.#pods, ...changes.pods]) : changes.pods;
    setEntries(this.#pods, changes.pods);
    setEntries(this.#policies, changes.policies);
    if (isNew) for (const chains of [this.#chains, this.#unused]) chains.clear();
    this.#isThere = changes.hasPolicies;
    if (!changes.hasPolicies) {
      if (wasThere || changes.isWhole) await this.#nft.apply(this.#text.removal());
      return;
    }
    const transaction = isNew ? [...this.#text.removal(), ...skeletonLines(this.#text), ...this.#rangeLines()] : [];
    transaction.push(...this.#changeLines(changes, { podsBefore, podChanges, inlineBefore }));
    if (transaction.length > 0) await this.#nft.apply(transaction);
  }

  /**
   * The ranges from which the node's pods get their addresses. While there are policies, addresses in them that belong to no known pod can
   * reach nothing and not be reached.
   */
  async setRanges(ranges: readonly string[]): Promise<void> {
    if (deepEqual(ranges, this.#ranges)) return;
    this.#ranges = ranges;
    if (this.#isThere) await this.#nft.apply(this.#rangeLines());
  }

  /** Removes the table, also one that an earlier process has made. */
  async remove(): Promise<void> {
    this.#isThere = false;
    await this.#nft.apply(this.#text.removal());
  }

  /**
   * Deletes chains that an earlier transaction has emptied. Kernels before 6.2 count references from maps as uses for a while after their
   * elements are gone, and refuse; then the chains are tried again with the next changes.
   */
  async #deleteUnused(): Promise<void> {
    if (this.#unused.size === 0) return;
    try {
      await this.#nft.apply([...this.#unused].map((chain) => `delete chain ${this.#text.at(chain)}`));
      this.#unused.clear();
    } catch (error) {
      if (!(error instanceof NftError)) throw error; // a table that another program has removed shows when the changes are applied
    }
  }

  #rangeLines(): readonly string[] {
    const blocks = blocksByFamily(this.#ranges);
    return FAMILIES.flatMap((family) => [
      `flush set ${this.#text.at(`ranges-${family}`)}`,
      ...this.#text.elements('add', `ranges-${family}`, blocks[family].cidrs),
    ]);
  }

  /** New names come first, then what refers to them, and what nothing refers to any more goes last. */
  #changeLines(changes: PolicyChanges, pods: Before): readonly string[] {
    const before = new Map(this.#chains);
    const elements = this.#podLines(pods);
    const { added, removed } = difference(before, this.#chains);
    for (const { tiers, direction } of added.values())
      for (const at of tiers.keys()) this.#unused.delete(tierChain(tiers, direction, at));
    const isRewritten = (key: string, direction: Direction): boolean =>
      changes.policies.has(key) &&
      (this.#isInline(key, direction) || pods.inlineBefore.has(policyChain(key, direction)));
    const rewritten = [...this.#chains].filter(
      ([chain, { tiers, direction }]) => added.has(chain) || tiers.flat().some((key) => isRewritten(key, direction)),
    );
    const policies = [...changes.policies];
    const present = policies.filter(([, policy]) => policy !== undefined).map(([key]) => key);
    const gone = policies.filter(([, policy]) => policy === undefined).map(([key]) => key);
    return [
      ...[...changes.sets].flatMap(([id, change]) => this.#setLines(id, change)),
      ...present.flatMap((key) => this.#policyChainLines(key)),
      ...rewritten.flatMap(([, { tiers, direction }]) =>
        tiers.map((_, at) => `add chain ${this.#text.at(tierChain(tiers, direction, at))}`),
      ),
      ...present.flatMap((key) => this.#policyLines(key)),
      ...rewritten.flatMap(([, { tiers, direction }]) => this.#tierLines(tiers, direction)),
      ...elements,
      ...this.#emptied(removed),
      ...gone.flatMap((key) =>
        DIRECTIONS.flatMap((direction) => {
          const chain = this.#text.at(policyChain(key, direction));
          return [`flush chain ${chain}`, `delete chain ${chain}`];
        }),
      ),
      ...[...changes.sets].flatMap(([id, { type }]) =>
        type === 'gone' ? FAMILIES.map((family) => `delete set ${this.#text.at(setName(id, family))}`) : [],
      ),
    ];
  }

  #setLines(id: string, change: SetChange): readonly string[] {
    return FAMILIES.flatMap((family) => {
      const name = setName(id, family);
      const own = (addresses: readonly string[]): readonly string[] =>
        addresses.filter((address) => address.includes(':') === (family === 'ipv6'));
      switch (change.type) {
        case 'whole':
          return [
            `add set ${this.#text.at(name)} { type ${TYPES[family]}; ${comment(id)}; }`,
            `flush set ${this.#text.at(name)}`,
            ...this.#text.elements('add', name, own(change.addresses)),
          ];
        case 'difference':
          return [
            ...this.#text.elements('delete', name, own(change.removed)),
            ...this.#text.elements('add', name, own(change.added)),
          ];
        case 'gone':
          return []; // deleted after everything that refers to it
      }
    });
  }

  #policyChainLines(key: string): readonly string[] {
    return DIRECTIONS.flatMap((direction) => [
      `add chain ${this.#text.at(policyChain(key, direction))} { ${comment(key)}; }`,
      `flush chain ${this.#text.at(policyChain(key, direction))}`,
    ]);
  }

  #policyLines(key: string): readonly string[] {
    return DIRECTIONS.flatMap((direction) =>
      this.#isInline(key, direction)
        ? []
        : this.#rules(policyChain(key, direction), this.#rulesOf(key, direction), direction),
    );
  }

  /** Rules that pass on to the next tier stand in the chain of the tier itself, because the next one differs from pod to pod. */
  #isInline(key: string, direction: Direction): boolean {
    return this.#rulesOf(key, direction).some(({ action }) => action === 'pass');
  }

  /** The chains that a policy would have, where its rules stand in those of tiers instead. */
  #inlineIn(key: string): readonly string[] {
    return DIRECTIONS.filter((direction) => this.#isInline(key, direction)).map((each) => policyChain(key, each));
  }

  #rulesOf(key: string, direction: Direction): readonly ResolvedRule[] {
    return this.#policies.get(key)?.[direction] ?? [];
  }

  #tierLines(tiers: readonly PolicyTier[], direction: Direction): readonly string[] {
    return tiers.flatMap((tier, at) => {
      const chain = tierChain(tiers, direction, at);
      const next = at + 1 < tiers.length ? `goto ${tierChain(tiers, direction, at + 1)}` : 'accept';
      return [
        `flush chain ${this.#text.at(chain)}`,
        ...tier.flatMap((key) =>
          this.#isInline(key, direction)
            ? this.#rules(chain, this.#rulesOf(key, direction), direction, next)
            : [this.#text.rule(chain, `jump ${policyChain(key, direction)}`)],
        ),
        this.#text.rule(chain, 'goto denied'),
      ];
    });
  }

  #rules(chain: string, rules: readonly ResolvedRule[], direction: Direction, next = ''): readonly string[] {
    const verdicts = { allow: 'accept', deny: 'goto denied', pass: next };
    return ruleTexts(rules, direction, ({ action }) => verdicts[action]).map((text) => this.#text.rule(chain, text));
  }

  /** The elements of maps and sets that are about the pods themselves. */
  #podLines({ podsBefore, podChanges }: Before): readonly string[] {
    const elements = new ElementChanges();
    for (const key of podChanges.keys()) {
      const before = podsBefore.get(key);
      const after = this.#pods.get(key);
      for (const direction of DIRECTIONS) {
        this.#countChain(before?.[direction], direction, -1);
        this.#countChain(after?.[direction], direction, 1);
      }
      if (before !== undefined) for (const [name, element] of podElements(before)) elements.remove(name, element);
      if (after !== undefined) for (const [name, element] of podElements(after)) elements.add(name, element);
    }
    for (const [chain, { pods }] of this.#chains) if (pods === 0) this.#chains.delete(chain);
    return [
      ...elements.removed().flatMap(([name, keys]) => this.#text.elements('delete', name, keys)),
      ...elements.added().flatMap(([name, keys]) => this.#text.elements('add', name, keys)),
    ];
  }

  #countChain(tiers: readonly PolicyTier[] | undefined, direction: Direction, by: 1 | -1): void {
    if (tiers === undefined || tiers.length === 0) return;
    const name = tierChain(tiers, direction, 0);
    const known = this.#chains.get(name) ?? { tiers, direction, pods: 0 };
    this.#chains.set(name, known);
    known.pods += by;
  }

  /** Empties the chains of tiers that no pod has any more They are deleted later, because maps have referred to them. */
  #emptied(chains: ReadonlyMap<string, Pick<PodChain, 'tiers' | 'direction'>>): readonly string[] {
    return [...chains.values()].flatMap(({ tiers, direction }) =>
      tiers.flatMap((_, at) => {
        const name = tierChain(tiers, direction, at);
        this.#unused.add(name);
        return [`flush chain ${this.#text.at(name)}`];
      }),
    );
  }
}

/** The chains of tiers that pods with the same policies share. */
interface PodChain {
  readonly tiers: readonly PolicyTier[];
  readonly direction: Direction;
  pods: number;
}

interface Before {
  readonly podsBefore: ReadonlyMap<string, ResolvedPod>;
  readonly podChanges: ReadonlyMap<string, ResolvedPod | undefined>;
  /** The chains of policies whose rules stood in those of tiers. */
  readonly inlineBefore: ReadonlySet<string>;
}

const NO_PODS: ReadonlyMap<string, ResolvedPod> = new Map();

function difference<T>(
  before: ReadonlyMap<string, T>,
  after: ReadonlyMap<string, T>,
): { readonly added: ReadonlyMap<string, T>; readonly removed: ReadonlyMap<string, T> } {
  return {
    added: new Map([...after].filter(([key]) => !before.has(key))),
    removed: new Map([...before].filter(([key]) => !after.has(key))),
  };
}

/** The elements of a pod, each with the name of its set or map. */
function* podElements(pod: ResolvedPod): Generator<[name: string, element: string]> {
  for (const address of pod.addresses) {
    const family = address.includes(':') ? 'ipv6' : 'ipv4';
    yield [`known-${family}`, address];
    for (const direction of DIRECTIONS)
      if (pod[direction].length > 0)
        yield [`${direction}-${family}`, `${address} : goto ${tierChain(pod[direction], direction, 0)}`];
    if (pod.ingress.length + pod.egress.length > 0) yield [`self-${family}`, `${address} . ${address}`];
  }
}
