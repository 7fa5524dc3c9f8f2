import type { Slice } from '../../base/index.ts';

/** An element of a set, or of a map with what it leads to. */
export interface OwnedElement {
  readonly container: string;
  /** `10.96.0.1 . tcp . 80` */
  readonly key: string;
  /** `goto CHAIN`, `drop`; undefined in a set. */
  readonly value: string | undefined;
}

/** What one owner wants to have in a table. */
export interface OwnedContent {
  readonly elements: readonly OwnedElement[];
  /** Definitions of sets of its own, by name. A set with the same name always has the same definition. */
  readonly sets: ReadonlyMap<string, string>;
  /** Rules of chains of its own, by name. */
  readonly chains: ReadonlyMap<string, readonly string[]>;
}

/** What a table has already, besides what is stated for it. */
export interface ExistingNames {
  readonly chains: readonly string[];
  readonly sets: readonly string[];
}

/** A set or map whose elements owners state. */
export interface SharedContainer {
  readonly name: string;
  readonly type: 'set' | 'map';
}

/** What one owner says about an element. */
interface Statement {
  readonly owner: string;
  readonly value: string | undefined;
}

const NO_CONTENT: OwnedContent = { elements: [], sets: new Map(), chains: new Map() };

/** Elements in one command. */
const CHUNK = 500;
const NO_STATEMENTS: readonly Statement[] = [];

/** What becomes of the content of one owner; undefined is no content. */
export interface OwnedChange {
  readonly owner: string;
  /** What was stated before. */
  readonly before: OwnedContent | undefined;
  readonly after: OwnedContent | undefined;
}

export interface ReplaceOptions {
  /** The owners' chains and sets that the table may have now; undefined for a table that is new. */
  readonly existing: ExistingNames | undefined;
  readonly slice: Pauses;
  /** Commands in one transaction, about; default as many as there are. */
  readonly commandsAtOnce?: number;
}

/**
 * The content of a table, stated by owners that know nothing of each other, and the transactions that lead to it. Several owners may
 * state one element; where they state different values, that of the owner whose name comes first counts.
 *
 * Of rules only the owners know: they give what they stated before together with what they state now.
 *
 * A chain that is no longer used is emptied at once and deleted later (`removable`): kernels before 6.2 count references from maps as
 * uses for a while after their elements are gone.
 *
 * Assumes: chains and sets have one owner.
 */
export class OwnedTable {
  readonly #table: string;
  readonly #containers: readonly SharedContainer[];
  /** By container and key, in the order of owners. */
  readonly #elements = new Map<string, Map<string, readonly Statement[]>>();
  readonly #unused = new Set<string>();

  /** `table` is family and name: `ip services`. */
  constructor(table: string, containers: readonly SharedContainer[]) {
    this.#table = table;
    this.#containers = containers;
    this.#clear();
  }

  /** An element that the table has; undefined for an empty one. */
  someElement(container: string): string | undefined {
    return this.#elements.get(container)?.keys().next().value;
  }

  /** Commands that delete the chains that were emptied; empty where there are none. */
  removable(): readonly string[] {
    return [...this.#unused].map((name) => `delete chain ${this.#table} ${name}`);
  }

  /** Tells that the commands of `removable` were carried out. */
  removed(commands: readonly string[]): void {
    const start = `delete chain ${this.#table} `.length;
    for (const command of commands) this.#unused.delete(command.slice(start));
  }

  /** The commands that change the content of some owners; empty when that changes nothing. */
  async change(changes: Iterable<OwnedChange>, slice: Pauses): Promise<string[]> {
    const parts = new TransactionParts(this.#table);
    for (const { owner, before = NO_CONTENT, after = NO_CONTENT } of changes) {
      this.#changeObjects(before, after, parts);
      this.#changeElements(owner, { before, after, parts });
      if (slice.isOver) await slice.next();
    }
    return parts.commands(this.#elements);
  }

  /**
   * The transactions that make the table have the content of these owners and nothing else. Only the last one changes elements, so that
   * until then new connections go where they went before.
   */
  async *replace(
    contents: Iterable<readonly [string, OwnedContent]>,
    { existing, slice, commandsAtOnce = Infinity }: ReplaceOptions,
  ): AsyncGenerator<string[]> {
    this.#clear();
    const known = new Set(existing?.chains);
    const wanted = { chains: new Set<string>(), sets: new Set<string>() };
    const last = new TransactionParts(this.#table);
    let parts = new TransactionParts(this.#table);
    for (const [owner, content] of contents) {
      for (const [name, definition] of content.sets) {
        wanted.sets.add(name);
        parts.addSet(name, definition);
      }
      for (const [name, rules] of content.chains) {
        wanted.chains.add(name);
        parts.setChain(name, rules, known.has(name));
      }
      this.#changeElements(owner, { before: NO_CONTENT, after: content, parts: last });
      if (parts.size >= commandsAtOnce) {
        yield parts.commands(this.#elements);
        parts = new TransactionParts(this.#table);
      }
      if (slice.isOver) await slice.next();
    }
    if (existing !== undefined) this.#leaveUnused(existing, wanted, last);
    const flushes =
      existing === undefined ? [] : this.#containers.map(({ name, type }) => `flush ${type} ${this.#table} ${name}`);
    yield [...parts.commands(this.#elements), ...flushes, ...last.commands(this.#elements)];
  }

  #clear(): void {
    this.#unused.clear();
    for (const { name } of this.#containers) this.#elements.set(name, new Map());
  }

  #changeObjects(before: OwnedContent, after: OwnedContent, parts: TransactionParts): void {
    for (const [name, definition] of after.sets) if (!before.sets.has(name)) parts.addSet(name, definition);
    for (const [name, rules] of after.chains) {
      const old = before.chains.get(name);
      if (old !== undefined && isSameRules(old, rules)) continue;
      parts.setChain(name, rules, old !== undefined || this.#unused.delete(name));
    }
    for (const name of before.chains.keys()) if (!after.chains.has(name)) this.#leaveChain(name, parts);
    for (const name of before.sets.keys()) if (!after.sets.has(name)) parts.deleteSet(name);
  }

  #changeElements(
    owner: string,
    {
      before,
      after,
      parts,
    }: { readonly before: OwnedContent; readonly after: OwnedContent; readonly parts: TransactionParts },
  ): void {
    const wanted = new Set(before.elements.length === 0 ? [] : after.elements.map(elementName));
    for (const element of before.elements)
      if (!wanted.has(elementName(element))) this.#stateElement(element, { owner, isWanted: false, parts });
    for (const element of after.elements) this.#stateElement(element, { owner, isWanted: true, parts });
  }

  #stateElement(
    { container, key, value }: OwnedElement,
    {
      owner,
      isWanted,
      parts,
    }: { readonly owner: string; readonly isWanted: boolean; readonly parts: TransactionParts },
  ): void {
    const elements = this.#elements.get(container);
    if (elements === undefined)
      throw new Error(`Cannot state an element of "${container}": the table has no such container`);
    const before = elements.get(key) ?? NO_STATEMENTS;
    const after = stated(before, owner, isWanted ? { owner, value } : undefined);
    if (after.length === 0) elements.delete(key);
    else elements.set(key, after);
    parts.touchElement(container, key, before[0]);
  }

  #leaveUnused(
    existing: ExistingNames,
    wanted: { readonly chains: ReadonlySet<string>; readonly sets: ReadonlySet<string> },
    parts: TransactionParts,
  ): void {
    for (const name of existing.chains) if (!wanted.chains.has(name)) this.#leaveChain(name, parts);
    for (const name of existing.sets) if (!wanted.sets.has(name)) parts.deleteSet(name);
  }

  #leaveChain(name: string, parts: TransactionParts): void {
    this.#unused.add(name);
    parts.emptyChain(name);
  }
}

type Pauses = Pick<Slice, 'isOver' | 'next'>;

/** The commands of a transaction in the order in which they depend on each other. */
class TransactionParts {
  readonly #table: string;
  readonly #declarations: string[] = [];
  readonly #rules: string[] = [];
  /** By container and key: what the table has before the transaction. */
  readonly #touched = new Map<string, Map<string, Statement | undefined>>();
  readonly #leavings: string[] = [];
  readonly #deletedSets: string[] = [];

  constructor(table: string) {
    this.#table = table;
  }

  /** How many commands declare chains and sets and make rules. */
  get size(): number {
    return this.#declarations.length + this.#rules.length;
  }

  addSet(name: string, definition: string): void {
    this.#declarations.push(`add set ${this.#table} ${name} ${definition}`);
  }

  setChain(name: string, rules: readonly string[], mayExist: boolean): void {
    this.#declarations.push(`add chain ${this.#table} ${name}`);
    if (mayExist) this.#declarations.push(`flush chain ${this.#table} ${name}`);
    for (const rule of rules) this.#rules.push(`add rule ${this.#table} ${name} ${rule}`);
  }

  emptyChain(name: string): void {
    this.#leavings.push(`flush chain ${this.#table} ${name}`);
  }

  deleteSet(name: string): void {
    this.#deletedSets.push(`delete set ${this.#table} ${name}`);
  }

  /** `before` is what the table says; only the first call for a key counts. */
  touchElement(container: string, key: string, before: Statement | undefined): void {
    const touched = this.#touched.get(container) ?? new Map<string, Statement | undefined>();
    this.#touched.set(container, touched);
    if (!touched.has(key)) touched.set(key, before);
  }

  commands(elements: ReadonlyMap<string, ReadonlyMap<string, readonly Statement[]>>): string[] {
    const deleted: string[] = [];
    const added: string[] = [];
    for (const [container, touched] of this.#touched) {
      const changes = elementChanges(touched, elements.get(container));
      deleted.push(...this.#elementCommands('delete', container, changes.deleted));
      added.push(...this.#elementCommands('add', container, changes.added));
    }
    return [...this.#declarations, ...this.#rules, ...deleted, ...added, ...this.#leavings, ...this.#deletedSets];
  }

  #elementCommands(verb: string, container: string, elements: readonly string[]): string[] {
    return chunks(elements).map((chunk) => `${verb} element ${this.#table} ${container} { ${chunk.join(', ')} }`);
  }
}

function elementChanges(
  touched: ReadonlyMap<string, Statement | undefined>,
  elements: ReadonlyMap<string, readonly Statement[]> | undefined,
): { readonly deleted: readonly string[]; readonly added: readonly string[] } {
  const deleted: string[] = [];
  const added: string[] = [];
  for (const [key, before] of touched) {
    const after = elements?.get(key)?.[0];
    if ((before === undefined) === (after === undefined) && before?.value === after?.value) continue;
    if (before !== undefined) deleted.push(key);
    if (after !== undefined) added.push(after.value === undefined ? key : `${key} : ${after.value}`);
  }
  return { deleted, added };
}

/** The statements with another one of the owner, in the order of owners. */
function stated(
  statements: readonly Statement[],
  owner: string,
  statement: Statement | undefined,
): readonly Statement[] {
  const others = statements.filter((each) => each.owner !== owner);
  if (statement === undefined) return others;
  return others.length === 0
    ? [statement]
    : [...others, statement].sort((left, right) => (left.owner < right.owner ? -1 : 1));
}

function chunks(elements: readonly string[]): readonly (readonly string[])[] {
  return Array.from({ length: Math.ceil(elements.length / CHUNK) }, (_, at) =>
    elements.slice(at * CHUNK, (at + 1) * CHUNK),
  );
}

function elementName({ container, key }: OwnedElement): string {
  return `${container} ${key}`;
}

function isSameRules(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((rule, at) => rule === right[at]);
}
