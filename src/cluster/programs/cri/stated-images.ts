import { type ConfigurationKind, INTEGER, listOf, objectOf, readConfiguration, TEXT } from '../../../api/index.ts';
import { messageOf, parseDuration } from '../../../base/index.ts';
import type { StatedImage } from '../../../simulated/index.ts';

interface WrittenImage {
  readonly names?: readonly string[];
  readonly id?: string;
  readonly size?: number;
  readonly uid?: number;
  readonly username?: string;
  readonly pullAfter?: string;
}

const MAX_IMAGES = 1000;

const FILE: ConfigurationKind = {
  group: 'keelson.dev',
  kind: 'SimulatedImages',
  versions: ['v1'],
  fields: (version) => ({
    images: listOf(
      objectOf(`${version}.SimulatedImage`, {
        names: listOf(TEXT),
        id: TEXT,
        size: INTEGER,
        uid: INTEGER,
        username: TEXT,
        pullAfter: TEXT,
      }),
    ),
  }),
};

/** Reads a file that says what is known of images: those with several names are the same image under all of them. */
export function readStatedImages(text: string, path: string): Readonly<Record<string, StatedImage>> {
  let images: readonly WrittenImage[];
  try {
    images =
      readConfiguration<{ readonly images?: readonly WrittenImage[] }>(text, [FILE], { isStrict: true }).images ?? [];
  } catch (cause) {
    throw new Error(`Cannot read "${path}": ${messageOf(cause)}`, { cause });
  }
  if (images.length > MAX_IMAGES)
    throw new Error(`Cannot use "${path}": images must have at most ${MAX_IMAGES} items, has ${images.length}`);
  return Object.fromEntries(
    images.flatMap(({ names = [], pullAfter, ...known }, index) => {
      const image = { ...known, ...(pullAfter === undefined ? {} : { pullMs: parseDuration(pullAfter) }) };
      const { id } = image;
      if (names.length === 0) throw new Error(`Cannot use "${path}": images[${index}].names must have a name`);
      if (names.length > 1 && id === undefined)
        throw new Error(`Cannot use "${path}": images[${index}].id is required for an image with several names`);
      if (id !== undefined && !/^sha256:[0-9a-f]{64}$/.test(id))
        throw new Error(`Cannot use "${path}": images[${index}].id must be sha256: and 64 hexadecimal digits`);
      return names.map((name) => [name, image] as const);
    }),
  );
}
