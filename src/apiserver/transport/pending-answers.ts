import type { Clock } from '../../base/index.ts';
import type { Connection } from './connection.ts';
import type { TransportLimits } from './limits.ts';

/** An answer that its client has not read completely. */
export interface PendingAnswer {
  readonly connection: Connection;
  /** The user, or the address of an unauthenticated client. */
  readonly payer: string;
  readonly pendingBytes: number;
  /** Since when the client has read nothing, in monotonic time. */
  readonly waitsSinceMs: number;
  /** Aborts the answer. */
  drop(): void;
}

type PendingLimits = Pick<
  TransportLimits,
  'maxPendingBytesPerConnection' | 'maxPendingBytesPerUser' | 'maxPendingBytes'
>;

/** The interval of checks after a limit is exceeded. */
const CHECK_INTERVAL_MS = 50;

/**
 * Counts the bytes that clients have not read, and drops the worst answers when there are too many.
 *
 * An answer costs two additions. Which connections and users hold how much is computed only when a limit may be exceeded, and with a delay,
 * so that the cost does not depend on how many answers arrive in the meantime.
 */
export class PendingAnswers {
  readonly #clock: Clock;
  readonly #limits: PendingLimits;
  readonly #answers: () => Iterable<PendingAnswer>;
  #bytes = 0;
  #isLookSet = false;

  /** `answers` returns all answers in progress, read or not. */
  constructor(clock: Clock, limits: PendingLimits, answers: () => Iterable<PendingAnswer>) {
    this.#clock = clock;
    this.#limits = limits;
    this.#answers = answers;
  }

  /** The total number of unread bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Adds to, or subtracts from, the unread bytes of a connection. */
  count(connection: Connection, change: number): void {
    this.#bytes += change;
    connection.pendingBytes += change;
    if (change <= 0 || this.#isLookSet) return;
    const { maxPendingBytesPerConnection, maxPendingBytesPerUser, maxPendingBytes } = this.#limits;
    const isSuspect = this.#bytes > Math.min(maxPendingBytesPerUser, maxPendingBytes);
    if (!isSuspect && connection.pendingBytes <= maxPendingBytesPerConnection) return;
    this.#isLookSet = true;
    this.#clock.timer(CHECK_INTERVAL_MS, () => this.#look());
  }

  #look(): void {
    this.#isLookSet = false;
    const waiting = Array.from(this.#answers()).filter(({ pendingBytes }) => pendingBytes > 0);
    for (const answer of answersToDrop(waiting, this.#limits)) {
      answer.connection.dropped += 1;
      answer.drop();
    }
  }
}

/**
 * The answers to drop to get within the limits: of the connection or user over its limit or, for the total, of the users with the most
 * bytes; among these, the ones that have waited longest on the connection with the most bytes.
 */
export function answersToDrop(answers: readonly PendingAnswer[], limits: PendingLimits): readonly PendingAnswer[] {
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

/** Drops the first answers of a group until the rest is within the limit. */
function shrink(group: readonly PendingAnswer[], allowed: number, worst: Set<PendingAnswer>): void {
  let bytes = bytesOf(group);
  for (const answer of group) {
    if (bytes <= allowed) return;
    worst.add(answer);
    bytes -= answer.pendingBytes;
  }
}
