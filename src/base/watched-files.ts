import { readFile } from 'node:fs/promises';
import type { Clock } from './clock.ts';

export interface WatchedFilesOptions {
  readonly clock: Clock;
  /** The texts of the files as they are known, in the order of their paths. */
  readonly known: readonly string[];
  /** How often to look; five seconds unless given. */
  readonly everyMs?: number;
  /** Told the new texts of all files when one of them has changed. */
  readonly changed: (texts: readonly string[]) => void | Promise<void>;
  /** Told when a file cannot be read, and when `changed` throws; what was known counts on. */
  readonly failed: (error: unknown) => void;
}

const LOOK_EVERY_MS = 5000;

/**
 * Looks at small files from time to time, and tells of changes, until it is disposed of. The same contents are told of once, even
 * if they cannot be used.
 */
export function watchFiles(paths: readonly string[], options: WatchedFilesOptions): Disposable {
  const { clock, everyMs = LOOK_EVERY_MS, changed, failed } = options;
  let known = options.known;
  let isOver = false;
  let timer: Disposable;
  const look = async (): Promise<void> => {
    try {
      const texts = await Promise.all(paths.map((path) => readFile(path, 'utf8')));
      if (isOver) return;
      if (texts.some((text, index) => text !== known[index])) {
        known = texts;
        await changed(texts);
      }
    } catch (error) {
      failed(error);
    }
    if (!isOver) timer = clock.timer(everyMs, () => void look());
  };
  timer = clock.timer(everyMs, () => void look());
  return {
    [Symbol.dispose]() {
      isOver = true;
      timer[Symbol.dispose]();
    },
  };
}
