import type { DurableFiles } from './durable-files.ts';

/** A file in a store's folder, parsed from its name. */
export type StoreFile =
  | { readonly kind: 'segment'; readonly name: string; readonly sequence: number }
  | { readonly kind: 'checkpoint'; readonly name: string; readonly revision: number }
  /** Left unfinished by a process that stopped while writing it; never read. */
  | { readonly kind: 'leftover'; readonly name: string };

const SEGMENT = /^log-(\d{10})$/;
const CHECKPOINT = /^checkpoint-(\d{16})$/;
const LEFTOVER = /^(log-\d+|checkpoint-\d+|manifest)\.new$/;

/** The file that lists which other files must exist. */
export const MANIFEST_NAME = 'manifest';

export function segmentName(sequence: number): string {
  return `log-${String(sequence).padStart(10, '0')}`;
}

export function checkpointName(revision: number): string {
  return `checkpoint-${String(revision).padStart(16, '0')}`;
}

/** The name of a file until it is complete and on the disk. */
export function unfinished(name: string): string {
  return `${name}.new`;
}

/** `undefined` for a file that does not belong to the store; such files are left alone. */
export function parseFileName(name: string): StoreFile | undefined {
  const segment = SEGMENT.exec(name)?.[1];
  if (segment !== undefined) return { kind: 'segment', name, sequence: Number(segment) };
  const checkpoint = CHECKPOINT.exec(name)?.[1];
  if (checkpoint !== undefined) return { kind: 'checkpoint', name, revision: Number(checkpoint) };
  return LEFTOVER.test(name) ? { kind: 'leftover', name } : undefined;
}

interface FolderContents {
  /** Oldest first. */
  readonly segments: readonly { readonly name: string; readonly sequence: number }[];
  /** Oldest first. */
  readonly checkpoints: readonly { readonly name: string; readonly revision: number }[];
  readonly leftovers: readonly string[];
}

export async function listStoreFiles(files: DurableFiles): Promise<FolderContents> {
  const segments: { name: string; sequence: number }[] = [];
  const checkpoints: { name: string; revision: number }[] = [];
  const leftovers: string[] = [];
  for (const name of await files.list()) {
    const file = parseFileName(name);
    if (file?.kind === 'segment') segments.push(file);
    else if (file?.kind === 'checkpoint') checkpoints.push(file);
    else if (file?.kind === 'leftover') leftovers.push(name);
  }
  segments.sort((left, right) => left.sequence - right.sequence);
  checkpoints.sort((left, right) => left.revision - right.revision);
  return { segments, checkpoints, leftovers };
}
