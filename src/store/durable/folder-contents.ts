import type { DurableFiles } from './durable-files.ts';
import { parseFileName } from './file-names.ts';

export interface FolderContents {
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
