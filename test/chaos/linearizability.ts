/** One thing that a client did to a register, as the client saw it. */
export interface RegisterOperation {
  readonly client: string;
  /** On the clock that all clients share. */
  readonly calledAt: number;
  /** Infinity when the client never learned what became of it. */
  readonly returnedAt: number;
  readonly did:
    | { readonly type: 'read'; readonly value: string }
    /** Was to replace `from` by `to`; `unknown` may have happened, at any time since, or never. */
    | {
        readonly type: 'swap';
        readonly from: string;
        readonly to: string;
        readonly outcome: 'done' | 'refused' | 'unknown';
      };
}

export type Verdict =
  | { readonly isLinearizable: true }
  /** The operations around the first moment that no order of them explains. */
  | { readonly isLinearizable: false; readonly stuckAt: readonly RegisterOperation[] };

interface Entry {
  readonly operation: RegisterOperation;
  readonly index: number;
  /** Absent for the entries of returns. */
  readonly returns?: Entry;
  readonly isCall: boolean;
  previous: Entry | undefined;
  next: Entry | undefined;
}

/**
 * Looks for an order of the operations in which each sees what the one before left, and in which none comes before one that had
 * returned when it was called: Wing and Gong's search, with Lowe's memory of states that led nowhere.
 */
export function checkRegister(operations: readonly RegisterOperation[], initial: string): Verdict {
  const head = entriesOf(operations);
  const done = new Bits(operations.length);
  const seen = new Set<string>();
  const taken: { readonly entry: Entry; readonly state: string }[] = [];
  let state = initial;
  let entry = head.next;
  let furthest: Entry | undefined;
  for (;;) {
    if (entry === undefined) return { isLinearizable: true }; // nothing is left that must have happened
    if (entry.isCall) {
      const next = stateAfter(entry.operation, state);
      if (next !== undefined) {
        done.set(entry.index);
        const key = `${done.key()} ${next}`;
        if (!seen.has(key)) {
          seen.add(key);
          taken.push({ entry, state });
          state = next;
          lift(entry);
          entry = head.next;
          continue;
        }
        done.clear(entry.index);
      }
      entry = entry.next;
      continue;
    }
    if (furthest === undefined || entry.operation.returnedAt > furthest.operation.returnedAt) furthest = entry;
    const last = taken.pop(); // it has returned, and nothing was found that explains it: another order before it
    if (last === undefined) return { isLinearizable: false, stuckAt: around(operations, furthest.operation) };
    state = last.state;
    done.clear(last.entry.index);
    unlift(last.entry);
    entry = last.entry.next;
  }
}

function stateAfter({ did }: RegisterOperation, state: string): string | undefined {
  if (did.type === 'read') return did.value === state ? state : undefined;
  const fits = did.from === state;
  if (did.outcome === 'refused') return fits ? undefined : state;
  return fits ? did.to : undefined;
}

/** Calls and returns in the order of time, behind a head that stands for nothing. */
function entriesOf(operations: readonly RegisterOperation[]): Entry {
  const entries: Entry[] = [];
  for (const [index, operation] of operations.entries()) {
    const plain = { operation, index, previous: undefined, next: undefined };
    if (operation.returnedAt === Infinity) {
      entries.push({ ...plain, isCall: true });
      continue;
    }
    const returns: Entry = { ...plain, isCall: false };
    entries.push({ ...plain, isCall: true, returns }, returns);
  }
  const timeOf = ({ isCall, operation }: Entry): number => (isCall ? operation.calledAt : operation.returnedAt);
  // what was called in the very moment that another returned may have been before it
  entries.sort((left, right) => timeOf(left) - timeOf(right) || Number(right.isCall) - Number(left.isCall));
  const [first] = operations;
  const head = { operation: first, index: -1, isCall: true, previous: undefined, next: undefined } as Entry;
  let last: Entry = head;
  for (const entry of entries) {
    last.next = entry;
    entry.previous = last;
    last = entry;
  }
  return head;
}

function lift(entry: Entry): void {
  for (const each of [entry, entry.returns]) {
    if (each === undefined) continue;
    if (each.previous !== undefined) each.previous.next = each.next;
    if (each.next !== undefined) each.next.previous = each.previous;
  }
}

function unlift(entry: Entry): void {
  for (const each of [entry.returns, entry]) {
    if (each === undefined) continue;
    if (each.previous !== undefined) each.previous.next = each;
    if (each.next !== undefined) each.next.previous = each;
  }
}

function around(operations: readonly RegisterOperation[], at: RegisterOperation): RegisterOperation[] {
  return operations.filter(({ calledAt, returnedAt }) => calledAt <= at.returnedAt && returnedAt >= at.calledAt);
}

/** A set of small numbers with a short text that identifies it. */
class Bits {
  readonly #words: Uint32Array;

  constructor(size: number) {
    this.#words = new Uint32Array(Math.ceil(size / 32));
  }

  set(index: number): void {
    this.#words[index >>> 5] = (this.#words[index >>> 5] ?? 0) | (1 << (index & 31));
  }

  clear(index: number): void {
    this.#words[index >>> 5] = (this.#words[index >>> 5] ?? 0) & ~(1 << (index & 31));
  }

  /** Words that are full or empty at both ends say nothing: what is done is done in about the order of time. */
  key(): string {
    let from = 0;
    while (from < this.#words.length && this.#words[from] === 0xffff_ffff) from += 1;
    let to = this.#words.length;
    while (to > from && this.#words[to - 1] === 0) to -= 1;
    return `${from}:${this.#words.subarray(from, to).join(',')}`;
  }
}
