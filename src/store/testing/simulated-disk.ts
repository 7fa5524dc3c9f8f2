import type { Random } from '../../base/index.ts';
import type { DurableFile, DurableFiles, ReadableFile } from '../durable/durable-files.ts';
import { systemError } from './faulty-files.ts';

/** The unit that a disk writes atomically. */
const SECTOR_BYTES = 512;

type Change =
  | { readonly type: 'write'; readonly data: Buffer; readonly position: number }
  | { readonly type: 'truncate'; readonly length: number };

/** A file's contents: as they are now, and as they are certain to be after a power failure. */
class Inode {
  current: Buffer<ArrayBufferLike>;
  durable: Buffer<ArrayBufferLike>;
  unsynced: Change[] = [];

  constructor(content: Buffer<ArrayBufferLike> = Buffer.alloc(0)) {
    this.current = content;
    this.durable = content;
  }

  change(change: Change): void {
    this.current = applied(this.current, change);
    this.unsynced.push(change);
  }

  sync(): void {
    this.durable = this.current;
    this.unsynced = [];
  }

  /** The contents after a power failure: any of the unsynced sectors, or none. */
  afterPowerLoss(random: Random): Buffer {
    let content = this.durable;
    for (const change of this.unsynced) {
      if (change.type === 'truncate') {
        if (random.int(2) === 0) content = applied(content, change);
        continue;
      }
      const fate = random.int(3);
      for (let at = 0; at < change.data.length; at += SECTOR_BYTES) {
        if (fate === 0 || (fate === 1 && random.int(2) === 0)) continue;
        const sector = change.data.subarray(at, at + SECTOR_BYTES);
        content = applied(content, { type: 'write', data: sector, position: change.position + at });
      }
    }
    return content;
  }
}

/**
 * A folder in memory that can lose power.
 *
 * It then loses unsynced data as freely as a real disk may: any sectors of unsynced writes and any of the unsynced
 * changes to the folder itself.
 */
export class SimulatedDisk implements DurableFiles {
  readonly folder = 'simulated';
  readonly #random: Random;
  readonly #names = new Map<string, Inode>();
  #durableNames = new Map<string, Inode>();
  #unsyncedNames: ((names: Map<string, Inode>) => void)[] = [];
  #actionsLeft = Infinity;
  #afterFailure: SimulatedDisk | undefined;

  constructor(random: Random) {
    this.#random = random;
  }

  /** Fails the power during the action after this many more. */
  failAfter(actions: number): void {
    this.#actionsLeft = actions;
  }

  /** The disk after its power has failed; fails it now if it has not. */
  get afterFailure(): SimulatedDisk {
    this.#afterFailure ??= this.#losePower();
    return this.#afterFailure;
  }

  async list(): Promise<string[]> {
    return [...this.#names.keys()];
  }

  async create(name: string): Promise<DurableFile> {
    const inode = new Inode();
    this.#act(() => this.#rename((names) => names.set(name, inode)));
    return this.#fileOf(inode);
  }

  async open(name: string): Promise<DurableFile> {
    return this.#fileOf(this.#inode(name));
  }

  async openToRead(name: string): Promise<ReadableFile> {
    const content = this.#inode(name).current;
    return {
      size: content.length,
      read: async (position, length) => Buffer.from(content.subarray(position, position + length)),
      close: async () => undefined,
    };
  }

  async rename(from: string, to: string): Promise<void> {
    const inode = this.#inode(from);
    this.#act(() =>
      this.#rename((names) => {
        names.delete(from);
        names.set(to, inode);
      }),
    );
  }

  async remove(name: string): Promise<void> {
    this.#act(() => this.#rename((names) => names.delete(name)));
  }

  async syncFolder(): Promise<void> {
    this.#act(() => {
      this.#durableNames = new Map(this.#names);
      this.#unsyncedNames = [];
    });
  }

  async isInPlace(): Promise<boolean> {
    return true;
  }

  #fileOf(inode: Inode): DurableFile {
    return {
      write: async (data, position) =>
        this.#act(() => inode.change({ type: 'write', data: Buffer.from(data), position })),
      sync: async () => this.#act(() => inode.sync(), { isDoneBeforeFailure: false }),
      truncate: async (length) => this.#act(() => inode.change({ type: 'truncate', length })),
      isRemoved: () => false,
      close: async () => undefined,
    };
  }

  #rename(change: (names: Map<string, Inode>) => void): void {
    change(this.#names);
    this.#unsyncedNames.push(change);
  }

  /** An action during which the power fails may have started (a write) or not (a sync). */
  #act(action: () => void, { isDoneBeforeFailure = true } = {}): void {
    if (this.#afterFailure !== undefined) throw systemError('EIO');
    this.#actionsLeft -= 1;
    if (this.#actionsLeft >= 0) {
      action();
      return;
    }
    if (isDoneBeforeFailure) action();
    this.#afterFailure = this.#losePower();
    throw systemError('EIO');
  }

  #losePower(): SimulatedDisk {
    const next = new SimulatedDisk(this.#random);
    const names = new Map(this.#durableNames);
    for (const change of this.#unsyncedNames) if (this.#random.int(2) === 0) change(names);
    for (const [name, inode] of names) next.#names.set(name, new Inode(inode.afterPowerLoss(this.#random)));
    next.#durableNames = new Map(next.#names);
    return next;
  }

  #inode(name: string): Inode {
    const inode = this.#names.get(name);
    if (inode === undefined) throw systemError('ENOENT');
    return inode;
  }
}

function applied(content: Buffer, change: Change): Buffer {
  if (change.type === 'truncate') return Buffer.from(content.subarray(0, change.length));
  const changed = Buffer.alloc(Math.max(content.length, change.position + change.data.length));
  content.copy(changed);
  change.data.copy(changed, change.position);
  return changed;
}
