/** What servers answer for `as=Table`, and the rows that the page keeps of it. */

export const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';

export interface Column {
  readonly name: string;
  readonly type: string;
  readonly format?: string;
  readonly description?: string;
  /** Columns above 0 are for wide views. */
  readonly priority: number;
}

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
}

export interface RowMetadata {
  readonly name?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly OwnerReference[];
}

export interface TableAnswer {
  readonly kind?: string;
  readonly metadata?: {
    readonly resourceVersion?: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
  readonly columnDefinitions?: readonly Column[] | null;
  readonly rows?: readonly {
    readonly cells?: readonly unknown[];
    readonly object?: { readonly metadata?: RowMetadata };
  }[];
}

/** A row keeps only what tables and trees show: ten thousand whole objects would be too many. */
export interface Row {
  readonly id: string;
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly createdMs: number;
  readonly isTerminating: boolean;
  readonly labels: Readonly<Record<string, string>>;
  readonly owners: readonly OwnerReference[];
  readonly cells: readonly string[];
  /** When it changed under the viewer's eyes, to mark it for a moment. */
  readonly changedAt: number;
}

const NO_LABELS = {};
const NO_OWNERS: readonly OwnerReference[] = [];
/** Longer cells are cut: they are one line. */
const MAX_CELL_CHARACTERS = 500;

export function rowsIn(answer: TableAnswer, changedAt: number): Row[] {
  return (answer.rows ?? []).map(({ cells, object }) => {
    const metadata = object?.metadata ?? {};
    const name = metadata.name ?? '';
    const namespace = metadata.namespace ?? '';
    return {
      id: `${namespace}/${name}`,
      name,
      namespace,
      uid: metadata.uid ?? '',
      createdMs: metadata.creationTimestamp === undefined ? 0 : Date.parse(metadata.creationTimestamp),
      isTerminating: metadata.deletionTimestamp !== undefined,
      labels: metadata.labels ?? NO_LABELS,
      owners: metadata.ownerReferences ?? NO_OWNERS,
      cells: (cells ?? []).map(textOfCell),
      changedAt,
    };
  });
}

function textOfCell(cell: unknown): string {
  if (cell === null || cell === undefined) return '';
  const text = typeof cell === 'string' ? cell : typeof cell === 'object' ? JSON.stringify(cell) : String(cell);
  return text.length > MAX_CELL_CHARACTERS ? `${text.slice(0, MAX_CELL_CHARACTERS)}…` : text;
}
