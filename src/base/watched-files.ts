import { readFile } from 'node:fs/promises';
import type { Clock } from './clock.ts';

export interface WatchedFilesOptions {
  readonly clock: Clock;
  /** The known texts of the files, in the order of their paths. */
  readonly known: readonly string[];
  /** The polling period; default five seconds. */
  readonly everyMs?: number;
  /** Called with the new texts of all files when one of them has changed. */
  readonly changed: (texts: readonly string[]) => void | Promise<void>;
  /** Called when a file cannot be read, and when `changed` throws; the known texts stay in use. */
  readonly failed: (error: unknown) => void;
}

const LOOK_EVERY_MS = 5000;

/** Polls small files and reports changes until disposed. The same contents are reported once, even if they cannot be used. */
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
