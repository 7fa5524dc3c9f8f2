import type { DurableFiles } from './durable-files.ts';
import { FileDamage } from './file-damage.ts';
import { HEADER_LENGTH } from './file-header.ts';
import { decodeSegmentHeader } from './segment-header.ts';
import type { Segment } from './segments.ts';

/** A segment as found in the folder; its `bytes` are those of the file. */
export type FoundSegment = Segment;

export async function readSegmentHeaders(
  files: DurableFiles,
  found: readonly { readonly name: string; readonly sequence: number }[],
): Promise<FoundSegment[]> {
  return Promise.all(
    found.map(async ({ name, sequence }) => {
      const file = await files.openToRead(name);
      try {
        const header = decodeSegmentHeader(await file.read(0, Math.min(HEADER_LENGTH, file.size)), name);
        if (header.sequence !== sequence)
          throw new FileDamage(name, 0, `the header says that this is segment ${header.sequence}`);
        return { ...header, name, bytes: file.size };
      } finally {
        await file.close();
      }
    }),
  );
}
