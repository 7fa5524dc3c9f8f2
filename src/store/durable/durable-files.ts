import { StoreError } from '../errors.ts';

/** A file that is being written. Every method rejects with the system's error. */
export interface DurableFile {
  /** Writes all of `data` at `position`. */
  write(data: Uint8Array, position: number): Promise<void>;
  /** Resolves once everything written so far is on the disk. */
  sync(): Promise<void>;
  truncate(length: number): Promise<void>;
  /** Whether the file has been unlinked, so that data written to it can never be read again. Never throws. */
  isRemoved(): boolean;
  close(): Promise<void>;
}

/** A file that is being read. */
export interface ReadableFile {
  readonly size: number;
  /** Returns exactly `length` bytes in a new buffer. */
  read(position: number, length: number): Promise<Buffer>;
  close(): Promise<void>;
}

/** Everything the durable store needs from a folder; small enough that a test can make each call fail. */
export interface DurableFiles {
  /** The folder's path, for messages. */
  readonly folder: string;
  list(): Promise<string[]>;
  /** Creates an empty file, replacing one of the same name. */
  create(name: string): Promise<DurableFile>;
  /** Opens an existing file for writing. */
  open(name: string): Promise<DurableFile>;
  openToRead(name: string): Promise<ReadableFile>;
  rename(from: string, to: string): Promise<void>;
  remove(name: string): Promise<void>;
  /** Resolves once creations, renames and removals are on the disk. */
  syncFolder(): Promise<void>;
  /** Whether the folder's path still leads to the folder that was opened. */
  isInPlace(): Promise<boolean>;
}

/** The system's code for an error (`ENOSPC`, `EIO`, …). */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
}

/** Whether the disk, or the user's share of it, is full. */
export function isOutOfSpace(error: unknown): boolean {
  const code = errorCode(error);
  return code === 'ENOSPC' || code === 'EDQUOT';
}

/** Whether the process or the system has too many open files, or no memory to open more. Such an error is temporary. */
export function isShortOfDescriptors(error: unknown): boolean {
  const code = errorCode(error);
  return code === 'EMFILE' || code === 'ENFILE' || code === 'ENOMEM';
}

/** A store file is corrupt at this offset. */
export class FileDamage extends StoreError {
  readonly file: string;
  readonly offset: number;
  readonly problem: string;

  constructor(file: string, offset: number, problem: string) {
    super('Damaged', `Cannot read store file "${file}": ${problem} (at offset ${offset})`);
    this.file = file;
    this.offset = offset;
    this.problem = problem;
  }
}
