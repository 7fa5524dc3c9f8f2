import { type Clock, describeError, type Logger, nextTurn } from '../../base/index.ts';
import { StoreError } from '../errors.ts';
import type { Revision } from '../store.ts';
import { isOutOfSpace, isShortOfDescriptors } from './durable-files.ts';
import { FRAME_HEAD, sealFrame } from './frame.ts';
import { FrameBuilder } from './log-record.ts';
import type { LogWriter } from './log-writer.ts';

/** A caller that waits for its record to reach the disk. Neither method may throw. */
export interface GroupMember {
  /** Everything up to and including this member's record is on disk. */
  onDisk(): void;
  /** This group and all later ones have failed and count as not written. */
  onFailure(error: StoreError): void;
}

export interface GroupCommitOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** The revision that the next transaction gets. */
  readonly nextRevision: () => Revision;
  /** Called when all queued writes have failed, before their members are. */
  readonly onReset: () => void;
  readonly onNewSegment: () => void;
}

interface Group {
  readonly frame: FrameBuilder;
  readonly firstRevision: Revision;
  readonly members: GroupMember[];
  /** Space to preallocate, even if less is written. */
  roomBytes: number;
}

/** A group that has reached this size accepts no more members. */
const GROUP_BYTES = 4 * 1024 * 1024;
/** Max writes that may wait for the disk; more are refused with `Unavailable`. */
const MAX_WAITING = 16_384;
const MAX_WAITING_BYTES = 64 * 1024 * 1024;
/** How long the mark of how far the log was acknowledged may be unsynced, and so lost in a power failure. */
const MARK_SYNC_MS = 20;
/** A disk that takes longer than this for one group counts as unhealthy. */
const SLOW_DISK_MS = 10_000;

/**
 * Collects records, and writes all that have gathered with one write and one sync, again and again.
 *
 * While one group is being written the next one gathers, so groups grow with load and no write waits for a timer. If
 * preallocation fails, everything queued is refused and the next attempt may succeed. After a failed write or sync the
 * system may have dropped the data and report success the next time (known as "fsyncgate"), so no write is ever
 * acknowledged again.
 */
export class GroupCommit {
  readonly #log: LogWriter;
  readonly #options: GroupCommitOptions;
  #groups: Group[] = [];
  #spare: FrameBuilder | undefined;
  #waiting = 0;
  #waitingBytes = 0;
  #running: Promise<void> | undefined;
  #failure: StoreError | undefined;
  /** Why the last preallocation failed, and of how many bytes. */
  #shortage: { readonly error: StoreError; readonly bytes: number } | undefined;
  #markTimer: Disposable | undefined;
  #markSync: Promise<void> | undefined;
  /** When the group that is being written was started. */
  #writingSinceMs: number | undefined;

  constructor(log: LogWriter, options: GroupCommitOptions) {
    this.#log = log;
    this.#options = options;
  }

  /** Why nothing can be queued now; `undefined` when it can. */
  get refusal(): StoreError | undefined {
    if (this.#failure !== undefined) return this.#failure;
    if (this.#waiting < MAX_WAITING && this.#waitingBytes < MAX_WAITING_BYTES) return undefined;
    return new StoreError('Unavailable', `Cannot commit: ${this.#waiting} writes wait for the disk already`);
  }

  /** Resolves when writes can succeed. Retries a failed preallocation. */
  async check(): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    const waitedMs = this.#options.clock.monotonic() - (this.#writingSinceMs ?? Infinity);
    if (waitedMs > SLOW_DISK_MS)
      throw new StoreError('Unavailable', `Cannot commit: the disk has not answered for ${Math.round(waitedMs)} ms`);
    if (this.#shortage === undefined) return;
    const { bytes } = this.#shortage;
    await new Promise<void>((resolve, reject) => {
      this.add({ onDisk: resolve, onFailure: reject });
      this.#groups.forEach((group) => (group.roomBytes = bytes));
    });
  }

  /** Refuses all writes from now on, because of a failure found outside of writing. */
  fail(cause: unknown): StoreError {
    return this.#failure ?? this.#breakDown(cause);
  }

  /** Queues `member` behind everything queued; `encode` adds its record, if it has one. */
  add(member: GroupMember, encode?: (frame: FrameBuilder) => void): void {
    const group = this.#open();
    const before = group.frame.length;
    encode?.(group.frame);
    group.members.push(member);
    this.#waiting += 1;
    this.#waitingBytes += group.frame.length - before;
    this.#running ??= this.#run();
  }

  /** Resolves once nothing is queued or in progress, not even in the background. */
  async drained(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
    this.#markTimer?.[Symbol.dispose]();
    this.#markTimer = undefined;
    await this.#markSync;
  }

  #open(): Group {
    const last = this.#groups.at(-1);
    if (last !== undefined && last.frame.length < GROUP_BYTES) return last;
    const group = {
      frame: this.#spare ?? new FrameBuilder(),
      firstRevision: this.#options.nextRevision(),
      members: [],
      roomBytes: 0,
    };
    this.#spare = undefined;
    this.#groups.push(group);
    return group;
  }

  async #run(): Promise<void> {
    for (;;) {
      await nextTurn(); // lets callers that were just answered, and other requests of this turn, join the next group
      const group = this.#groups.shift();
      if (group !== undefined) await this.#commit(group);
      else if (!(await this.#preallocate())) break;
    }
    this.#running = undefined;
  }

  async #commit(group: Group): Promise<void> {
    this.#writingSinceMs = this.#options.clock.monotonic();
    const error = this.#failure ?? (await this.#write(group));
    this.#writingSinceMs = undefined;
    if (error !== undefined) {
      this.#fail([group, ...this.#groups.splice(0)], error);
      return;
    }
    this.#waiting -= group.members.length;
    this.#waitingBytes -= group.frame.length - FRAME_HEAD;
    for (const member of group.members) member.onDisk();
    if (group.frame.capacity > GROUP_BYTES) return;
    group.frame.clear();
    this.#spare = group.frame;
  }

  /** Returns the failure, if there was one. */
  async #write(group: Group): Promise<StoreError | undefined> {
    const { frame, firstRevision } = group;
    const roomBytes = Math.max(frame.recordCount === 0 ? 0 : frame.length, group.roomBytes);
    if (roomBytes === 0) return undefined;
    try {
      const isNewSegment = await this.#log.makeRoom(roomBytes, firstRevision - 1);
      if (isNewSegment) this.#options.onNewSegment();
    } catch (cause) {
      return this.#judge(cause, roomBytes);
    }
    this.#noteShortage(undefined);
    if (frame.recordCount === 0) return undefined;
    try {
      const bytes = frame.bytes();
      const timeMs = this.#options.clock.now();
      sealFrame(bytes, { recordCount: frame.recordCount, firstRevision, timeMs }, this.#log.salt);
      await this.#log.append(bytes, firstRevision + frame.transactionCount - 1);
      this.#markTimer ??= this.#options.clock.timer(MARK_SYNC_MS, () => this.#syncMark());
      return undefined;
    } catch (cause) {
      return this.#breakDown(cause);
    }
  }

  /** Whether space was preallocated. A failure shows again when the space is needed. */
  async #preallocate(): Promise<boolean> {
    if (this.#failure !== undefined || this.#shortage !== undefined || !this.#log.isPreallocationDue) return false;
    try {
      await this.#log.preallocate();
      return true;
    } catch (cause) {
      if (shortageOf(cause) === undefined) this.#breakDown(cause);
      return false;
    }
  }

  /** Runs a few milliseconds after a commit. While the store is idle there is no timer. */
  #syncMark(): void {
    this.#markTimer = undefined;
    if (this.#failure !== undefined) return;
    const check = async (): Promise<void> => {
      await this.#log.syncMark();
      await this.#log.expectInPlace();
    };
    this.#markSync = check().catch((cause: unknown) => void this.fail(cause));
  }

  /** Decides whether a failed preallocation is temporary or final. */
  #judge(cause: unknown, bytes: number): StoreError {
    const error = shortageOf(cause);
    if (error === undefined) return this.#breakDown(cause);
    this.#noteShortage({ error, bytes });
    return error;
  }

  #breakDown(cause: unknown): StoreError {
    this.#options.log.error('store log cannot be written, refusing all writes until the store is reopened', {
      error: cause,
    });
    const problem = `Cannot commit: writing to the disk has failed: ${describeError(cause)}`;
    this.#failure = new StoreError('Unavailable', problem); // every later caller gets this error, so it has no stack as its cause
    return this.#failure;
  }

  #noteShortage(shortage: { readonly error: StoreError; readonly bytes: number } | undefined): void {
    const before = this.#shortage;
    this.#shortage = shortage;
    if (shortage !== undefined && before === undefined)
      this.#options.log.error('store cannot allocate space for writes, refusing them until it can', {
        error: shortage.error,
      });
    if (shortage === undefined && before !== undefined)
      this.#options.log.info('store has space again, accepting writes');
  }

  #fail(groups: readonly Group[], error: StoreError): void {
    this.#waiting = 0;
    this.#waitingBytes = 0;
    this.#options.onReset();
    for (const group of groups) for (const member of group.members) member.onFailure(error);
  }
}

/** The answer to writes for which space could not be allocated, if the reason is temporary. */
function shortageOf(cause: unknown): StoreError | undefined {
  if (isOutOfSpace(cause))
    return new StoreError('NoSpace', 'Cannot commit: there is no space left on the disk', { cause });
  if (isShortOfDescriptors(cause))
    return new StoreError('Unavailable', 'Cannot commit: too many files are open', { cause });
  return undefined;
}
