import type { DurableFile, DurableFiles, ReadableFile } from '../durable/durable-files.ts';

export type FileAction = 'create' | 'write' | 'sync' | 'truncate' | 'rename' | 'remove' | 'syncFolder';

/** Decides the outcome of an action on a file: returning lets it proceed, throwing fails it, a promise delays it. */
export type Fault = (action: FileAction, name: string) => void | Promise<void>;

export function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: as the test wants it`), { code });
}

/** A folder on which every action can be made to fail or to wait. */
export class FaultyFiles implements DurableFiles {
  readonly #files: DurableFiles;
  /** The open files; their names are updated when they are renamed. */
  readonly #open = new Set<{ name: string }>();
  fault: Fault = () => undefined;

  constructor(files: DurableFiles) {
    this.#files = files;
  }

  get folder(): string {
    return this.#files.folder;
  }

  list(): Promise<string[]> {
    return this.#files.list();
  }

  async create(name: string): Promise<DurableFile> {
    await this.fault('create', name);
    return this.#wrap(await this.#files.create(name), name);
  }

  async open(name: string): Promise<DurableFile> {
    return this.#wrap(await this.#files.open(name), name);
  }

  openToRead(name: string): Promise<ReadableFile> {
    return this.#files.openToRead(name);
  }

  async rename(from: string, to: string): Promise<void> {
    await this.fault('rename', from);
    await this.#files.rename(from, to);
    for (const file of this.#open) if (file.name === from) file.name = to;
  }

  async remove(name: string): Promise<void> {
    await this.fault('remove', name);
    await this.#files.remove(name);
  }

  async syncFolder(): Promise<void> {
    await this.fault('syncFolder', '');
    await this.#files.syncFolder();
  }

  isInPlace(): Promise<boolean> {
    return this.#files.isInPlace();
  }

  #wrap(file: DurableFile, name: string): DurableFile {
    const named = { name };
    this.#open.add(named);
    return {
      write: async (data, position) => {
        await this.fault('write', named.name);
        await file.write(data, position);
      },
      sync: async () => {
        await this.fault('sync', named.name);
        await file.sync();
      },
      truncate: async (length) => {
        await this.fault('truncate', named.name);
        await file.truncate(length);
      },
      isRemoved: () => file.isRemoved(),
      close: () => {
        this.#open.delete(named);
        return file.close();
      },
    };
  }
}
