import { type FSWatcher, watch } from 'node:fs';
import { lstat, mkdir, opendir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock, Logger } from '../base/index.ts';

/** Sockets and folders that are looked at; a folder with more is broken, and the rest of it is ignored. */
const MAX_ENTRIES = 4096;
const MAX_FOLDERS = 256;
const MAX_DEPTH = 8;
/** How long a change that no watch reports stays unseen. */
const LOOK_EVERY_MS = 10_000;

/** The sockets in a folder and in the folders below it. Names that begin with a dot are left out. */
export class SocketFolder implements Disposable {
  readonly #root: string;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #watchers = new Map<string, FSWatcher>();
  #hasChanged = false;
  #wake: () => void = () => undefined;

  constructor(root: string, { clock, log }: { readonly clock: Clock; readonly log: Logger }) {
    this.#root = root;
    this.#clock = clock;
    this.#log = log;
  }

  /** All sockets by path, each with a mark that differs when the socket was made again. Creates the folder. */
  async sockets(): Promise<ReadonlyMap<string, string>> {
    this.#hasChanged = false; // before the look, so that a change during it leads to another
    await mkdir(this.#root, { recursive: true, mode: 0o750 });
    const found = new Map<string, string>();
    const folders = new Set<string>();
    await this.#look(this.#root, { depth: 0, found, folders });
    for (const [folder, watcher] of this.#watchers) {
      if (folders.has(folder)) continue;
      watcher.close();
      this.#watchers.delete(folder);
    }
    return found;
  }

  /** Resolves when something has changed since `sockets()` was called, after `maxWaitMs`, or when the signal aborts. */
  async changed(signal: AbortSignal, maxWaitMs = Infinity): Promise<void> {
    if (this.#hasChanged) return;
    const wait = new AbortController();
    const stop = (): void => wait.abort();
    this.#wake = stop;
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    await this.#clock.sleep(Math.min(LOOK_EVERY_MS, maxWaitMs), wait.signal);
    signal.removeEventListener('abort', stop);
    this.#wake = () => undefined;
  }

  [Symbol.dispose](): void {
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  async #look(
    folder: string,
    state: { readonly depth: number; readonly found: Map<string, string>; readonly folders: Set<string> },
  ): Promise<void> {
    const { depth, found, folders } = state;
    if (folders.size >= MAX_FOLDERS || depth > MAX_DEPTH) {
      this.#log.warn('folder of plugins is ignored: there are too many', { folder });
      return;
    }
    folders.add(folder);
    this.#watch(folder); // before the folder is read, so that what comes later is noticed
    const entries = await opendir(folder).catch(() => undefined); // removed meanwhile
    let count = 0;
    for await (const entry of entries ?? []) {
      count += 1;
      if (count > MAX_ENTRIES) {
        this.#log.warn('folder of plugins has too many entries: the rest is ignored', { folder });
        break;
      }
      if (entry.name.startsWith('.')) continue;
      const path = join(folder, entry.name);
      if (entry.isDirectory()) await this.#look(path, { ...state, depth: depth + 1 });
      else if (entry.isSocket()) {
        const mark = await markOf(path);
        if (mark !== undefined) found.set(path, mark);
      }
    }
  }

  #watch(folder: string): void {
    if (this.#watchers.has(folder)) return;
    try {
      const watcher = watch(folder, { persistent: false }, () => {
        this.#hasChanged = true;
        this.#wake();
      });
      watcher.on('error', () => {
        watcher.close();
        this.#watchers.delete(folder);
      });
      this.#watchers.set(folder, watcher);
    } catch {
      // the system has no watch to spare: looking at intervals is enough
    }
  }
}

/** The number of a file is given again at once, so the time at which it was made belongs to its mark. */
async function markOf(path: string): Promise<string | undefined> {
  const stats = await lstat(path, { bigint: true }).catch(() => undefined); // removed meanwhile
  return stats === undefined ? undefined : `${stats.dev}:${stats.ino}:${stats.birthtimeNs}`;
}
