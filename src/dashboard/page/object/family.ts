import { signal } from '@preact/signals';
import { sleep } from '../browser/clock.ts';
import { isForbidden } from '../cluster/api-error.ts';
import type { Connection } from '../cluster/connection.ts';
import type { Discovery } from '../cluster/discovery.ts';
import { pathOf, resourceName, type ResourceKind } from '../cluster/resource-kind.ts';
import { TABLE, rowsIn, type Column, type Row, type TableAnswer } from '../tables/table-rows.ts';

/** An object in the tree of owners. */
export interface FamilyNode {
  readonly kind: ResourceKind;
  readonly row: Row;
  /** What the server's table says of it besides name and age, such as `1/1 Running`. */
  readonly summary: readonly string[];
  readonly children: readonly FamilyNode[];
  /** Children that are not shown because there are too many. */
  readonly cut: number;
}

export interface FamilyTree {
  readonly roots: readonly FamilyNode[];
  /** Kinds that the viewer may not list: their objects are missing in the tree. */
  readonly hidden: readonly string[];
  /** Owners that do not exist, or that the viewer may not see. */
  readonly missingOwners: readonly string[];
  /** Whether all kinds have been looked through: until then more may come. */
  readonly isWhole: boolean;
}

interface Listed {
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
}

const AT_ONCE = 3;
const PAGE_SIZE = 500;
const MAX_PER_KIND = 2_000;
const MAX_CHILDREN = 60;
const MAX_DEPTH = 8;
const REFRESH_MS = 3_000;
/** After this many looks at the family's own kinds, all kinds are looked through again. */
const LOOKS_UNTIL_ALL = 10;

/** Finds the owners of an object and all that it owns, of every kind that the server serves. */
export class Family {
  readonly tree = signal<FamilyTree | undefined>(undefined);
  readonly #connection: Connection;
  readonly #discovery: Discovery;
  readonly #start: { readonly kind: ResourceKind; readonly namespace: string; readonly uid: string };
  readonly #listed = new Map<ResourceKind, Listed>();
  readonly #hidden = new Set<string>();
  #isWhole = false;

  constructor(
    connection: Connection,
    discovery: Discovery,
    start: { readonly kind: ResourceKind; readonly namespace: string; readonly uid: string },
  ) {
    this.#connection = connection;
    this.#discovery = discovery;
    this.#start = start;
  }

  async run(signal: AbortSignal): Promise<void> {
    for (let look = 0; !signal.aborted; look++) {
      const isVisible = document.visibilityState === 'visible' || look === 0;
      const kinds = look % LOOKS_UNTIL_ALL === 0 ? this.#allKinds() : this.#kindsInTree();
      if (isVisible) await this.#look(kinds, signal);
      await sleep(REFRESH_MS, signal);
    }
  }

  /** Objects of a namespace are owned there or by objects without a namespace; those may own anything. */
  #allKinds(): ResourceKind[] {
    const first = (kind: ResourceKind): number => (kind === this.#start.kind ? 0 : kind.isNamespaced ? 1 : 2);
    return this.#discovery.kinds.value
      .filter(({ verbs, resource }) => verbs.has('list') && resource !== 'events')
      .sort((left, right) => first(left) - first(right));
  }

  #kindsInTree(): ResourceKind[] {
    const kinds = new Set<ResourceKind>([this.#start.kind]);
    const add = (node: FamilyNode): void => {
      kinds.add(node.kind);
      for (const child of node.children) add(child);
    };
    for (const root of this.tree.value?.roots ?? []) add(root);
    return [...kinds];
  }

  async #look(kinds: readonly ResourceKind[], signal: AbortSignal): Promise<void> {
    const left = [...kinds];
    const work = async (): Promise<void> => {
      for (let kind = left.shift(); kind !== undefined && !signal.aborted; kind = left.shift()) {
        try {
          this.#listed.set(kind, await this.#list(kind, signal));
          this.#hidden.delete(resourceName(kind));
          // the tree grows while kinds are looked through; the object itself comes first
          if (this.#listed.get(kind)?.rows.length !== 0 && this.tree.value === undefined) this.#build();
        } catch (error) {
          if (isForbidden(error)) this.#hidden.add(resourceName(kind));
        }
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    if (signal.aborted) return;
    this.#isWhole = true;
    this.#build();
  }

  async #list(kind: ResourceKind, signal: AbortSignal): Promise<Listed> {
    const namespace = kind.isNamespaced ? this.#start.namespace : '';
    const rows: Row[] = [];
    let columns: readonly Column[] = [];
    let next = '';
    do {
      const more = next === '' ? '' : `&continue=${encodeURIComponent(next)}`;
      const path = `${pathOf(kind, { namespace })}?limit=${PAGE_SIZE}${more}`;
      const answer = await this.#connection.clusterJson<TableAnswer>(path, { accept: TABLE, signal });
      columns = answer.columnDefinitions ?? columns;
      // of ten thousand objects only those with owners matter, and the one that the tree is about
      rows.push(
        ...rowsIn(answer, 0).filter(
          (row) => row.owners.length > 0 || rows.length < PAGE_SIZE || row.uid === this.#start.uid,
        ),
      );
      next = answer.metadata?.continue ?? '';
    } while (next !== '' && rows.length < MAX_PER_KIND);
    return { columns, rows };
  }

  #build(): void {
    const byUid = new Map<string, { readonly kind: ResourceKind; readonly row: Row }>();
    const childrenOf = new Map<string, { readonly kind: ResourceKind; readonly row: Row }[]>();
    for (const [kind, { rows }] of this.#listed) {
      for (const row of rows) {
        byUid.set(row.uid, { kind, row });
        for (const { uid } of row.owners) childrenOf.set(uid, [...(childrenOf.get(uid) ?? []), { kind, row }]);
      }
    }
    const missingOwners = new Set<string>();
    const tops = new Set<string>();
    const climb = (uid: string, depth: number): void => {
      const owners = byUid.get(uid)?.row.owners ?? [];
      const known = owners.filter((owner) => byUid.has(owner.uid));
      for (const owner of owners) if (!byUid.has(owner.uid)) missingOwners.add(`${owner.kind} ${owner.name}`);
      if (known.length === 0 || depth >= MAX_DEPTH) tops.add(uid);
      else for (const owner of known) climb(owner.uid, depth + 1);
    };
    climb(this.#start.uid, 0);
    const nodeOf = (uid: string, depth: number): FamilyNode[] => {
      const found = byUid.get(uid);
      if (found === undefined) return [];
      const all = depth >= MAX_DEPTH ? [] : (childrenOf.get(uid) ?? []).sort(byKindAndName);
      const shown = all.slice(0, MAX_CHILDREN);
      const children = shown.flatMap(({ row }) => nodeOf(row.uid, depth + 1));
      return [{ ...found, summary: this.#summaryOf(found), children, cut: all.length - shown.length }];
    };
    const roots = [...tops].flatMap((uid) => nodeOf(uid, 0));
    if (roots.length > 0)
      this.tree.value = { roots, hidden: [...this.#hidden], missingOwners: [...missingOwners], isWhole: this.#isWhole };
  }

  #summaryOf({ kind, row }: { readonly kind: ResourceKind; readonly row: Row }): string[] {
    const columns = this.#listed.get(kind)?.columns ?? [];
    const shown = columns.flatMap(({ name, format, priority }, index) =>
      priority > 0 || format === 'name' || name === 'Name' || name === 'Age'
        ? []
        : [{ name, text: row.cells[index] ?? '' }],
    );
    return shown.flatMap(({ name, text }) => (text === '' || text === '<none>' ? [] : [`${name} ${text}`])).slice(0, 3);
  }
}

function byKindAndName(left: { kind: ResourceKind; row: Row }, right: { kind: ResourceKind; row: Row }): number {
  if (left.kind !== right.kind) return left.kind.kind < right.kind.kind ? -1 : 1;
  return left.row.name < right.row.name ? -1 : 1;
}
