import type { Clock } from '../../base/index.ts';
import type { Connection } from './connection.ts';
import type { TransportLimits } from './limits.ts';

/** An answer of which something waits for its client to read. */
export interface PendingAnswer {
  readonly connection: Connection;
  /** Who asked: the user, or the address of somebody without a name. */
  readonly payer: string;
  readonly pendingBytes: number;
  /** Since when the client has read nothing, by the clock's monotonic time. */
  readonly waitsSinceMs: number;
  /** Cuts the answer off. */
  drop(): void;
}

type PendingLimits = Pick<
  TransportLimits,
  'maxPendingBytesPerConnection' | 'maxPendingBytesPerUser' | 'maxPendingBytes'
>;

/** Once a limit is passed, all answers are looked at so often. */
const LOOK_EVERY_MS = 50;

/**
 * Counts what waits for clients to read, and drops what is worst when it is too much.
 *
 * An answer pays two additions for it. Who holds how much is only looked at when a limit may be passed, and not at once, so
 * that looking costs the same however many answers come in the meantime.
 */
export class PendingAnswers {
  readonly #clock: Clock;
  readonly #limits: PendingLimits;
  readonly #answers: () => Iterable<PendingAnswer>;
  #bytes = 0;
  #isLookSet = false;

  /** `answers` gives those under way, whether anything of them waits or not. */
  constructor(clock: Clock, limits: PendingLimits, answers: () => Iterable<PendingAnswer>) {
    this.#clock = clock;
    this.#limits = limits;
    this.#answers = answers;
  }

  /** Bytes that wait in all. */
  get bytes(): number {
    return this.#bytes;
  }

  /** More of a connection's answers waits, or less. */
  count(connection: Connection, change: number): void {
    this.#bytes += change;
    connection.pendingBytes += change;
    if (change <= 0 || this.#isLookSet) return;
    const { maxPendingBytesPerConnection, maxPendingBytesPerUser, maxPendingBytes } = this.#limits;
    const isSuspect = this.#bytes > Math.min(maxPendingBytesPerUser, maxPendingBytes);
    if (!isSuspect && connection.pendingBytes <= maxPendingBytesPerConnection) return;
    this.#isLookSet = true;
    this.#clock.timer(LOOK_EVERY_MS, () => this.#look());
  }

  #look(): void {
    this.#isLookSet = false;
    const waiting = Array.from(this.#answers()).filter(({ pendingBytes }) => pendingBytes > 0);
    for (const answer of worstOf(waiting, this.#limits)) {
      answer.connection.dropped += 1;
      answer.drop();
    }
  }
}

/**
 * What has to be dropped to be within the limits: of the connection, user or, for the limit in all, of the users that hold
 * most; and of theirs what has waited longest, on the fullest connection first.
 */
export function worstOf(answers: readonly PendingAnswer[], limits: PendingLimits): readonly PendingAnswer[] {
  const inOrder = answers.toSorted(
    (left, right) =>
      right.connection.pendingBytes - left.connection.pendingBytes || left.waitsSinceMs - right.waitsSinceMs,
  );
  const worst = new Set<PendingAnswer>();
  const groupsBy = (key: 'connection' | 'payer'): PendingAnswer[][] =>
    grouped(
      inOrder.filter((one) => !worst.has(one)),
      key,
    );
  for (const group of groupsBy('connection')) shrink(group, limits.maxPendingBytesPerConnection, worst);
  for (const group of groupsBy('payer')) shrink(group, limits.maxPendingBytesPerUser, worst);
  const users = groupsBy('payer').map((group) => ({ group: group.values(), bytes: bytesOf(group) }));
  for (let bytes = bytesOf(inOrder) - bytesOf([...worst]); bytes > limits.maxPendingBytes;) {
    const fullest = users.reduce((most, user) => (user.bytes > most.bytes ? user : most));
    const { value: answer } = fullest.group.next();
    if (answer === undefined) break;
    worst.add(answer);
    fullest.bytes -= answer.pendingBytes;
    bytes -= answer.pendingBytes;
  }
  return [...worst];
}

function grouped(answers: readonly PendingAnswer[], key: 'connection' | 'payer'): PendingAnswer[][] {
  const groups = new Map<unknown, PendingAnswer[]>();
  for (const answer of answers) {
    const group = groups.get(answer[key]);
    if (group === undefined) groups.set(answer[key], [answer]);
    else group.push(answer);
  }
  return [...groups.values()];
}

function bytesOf(answers: readonly PendingAnswer[]): number {
  return answers.reduce((sum, { pendingBytes }) => sum + pendingBytes, 0);
}

/** Drops the first of a group until the rest is no larger than allowed. */
function shrink(group: readonly PendingAnswer[], allowed: number, worst: Set<PendingAnswer>): void {
  let bytes = bytesOf(group);
  for (const answer of group) {
    if (bytes <= allowed) return;
    worst.add(answer);
    bytes -= answer.pendingBytes;
  }
}
