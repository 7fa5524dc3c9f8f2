import { type FSWatcher, readdirSync, watch } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../base/index.ts';

/** Folders whose files are not sources. */
const OTHER_FOLDERS = new Set(['node_modules', 'dist', 'build', 'out', 'coverage']);
const SOURCE = /\.([cm]?[jt]sx?|json)$/;
const TEST = /\.(test|spec)\.[^.]+$/;
/** Waits this long for further changes, as editors write a file in several steps. */
const SETTLE_MS = 100;
/** Maximum number of watched folders. */
const MAX_FOLDERS = 2000;

export interface SourceFilesOptions {
  readonly clock: Clock;
  /** Called with a file that was written, created or removed; once for several changes at the same time. */
  onChange(file: string): void;
}

/**
 * Watches the sources of a project: modules and JSON in its folder and below, except tests, packages and build output.
 */
export class SourceFiles implements Disposable {
  readonly #options: SourceFilesOptions;
  readonly #watchers = new Map<string, FSWatcher>();
  #waiting: Disposable | undefined;

  constructor(folder: string, options: SourceFilesOptions) {
    this.#options = options;
    this.#add(folder);
  }

  [Symbol.dispose](): void {
    this.#waiting?.[Symbol.dispose]();
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  #add(folder: string): void {
    if (this.#watchers.has(folder) || this.#watchers.size >= MAX_FOLDERS) return;
    const watcher = watch(folder, (_event, name) => this.#changed(folder, name));
    watcher.on('error', () => this.#remove(folder)); // the folder was removed
    this.#watchers.set(folder, watcher);
    for (const entry of readdirSync(folder, { withFileTypes: true }))
      if (entry.isDirectory() && isSourceFolder(entry.name)) this.#add(join(folder, entry.name));
  }

  #remove(folder: string): void {
    this.#watchers.get(folder)?.close();
    this.#watchers.delete(folder);
  }

  #changed(folder: string, name: string | null): void {
    if (name === null) return;
    const path = join(folder, name);
    if (isSourceFolder(name) && !SOURCE.test(name)) this.#addIfFolder(path);
    if (!isSource(name)) return;
    this.#waiting ??= this.#options.clock.timer(SETTLE_MS, () => {
      this.#waiting = undefined;
      this.#options.onChange(path);
    });
  }

  #addIfFolder(path: string): void {
    try {
      this.#add(path);
    } catch {
      this.#remove(path); // a file, or removed already
    }
  }
}

/** Whether a change of a file of this name matters. */
export function isSource(name: string): boolean {
  return SOURCE.test(name) && !TEST.test(name) && !name.startsWith('.');
}

function isSourceFolder(name: string): boolean {
  return !name.startsWith('.') && !OTHER_FOLDERS.has(name);
}
