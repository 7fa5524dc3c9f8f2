import type { DurableFile, DurableFiles } from './durable-files.ts';

/**
 * A folder whose writes reach the disk when the system decides: a killed process loses nothing, a power failure may.
 */
export function withoutSync(files: DurableFiles): DurableFiles {
  return {
    folder: files.folder,
    list: () => files.list(),
    create: async (name) => unsynced(await files.create(name)),
    open: async (name) => unsynced(await files.open(name)),
    openToRead: (name) => files.openToRead(name),
    rename: (from, to) => files.rename(from, to),
    remove: (name) => files.remove(name),
    syncFolder: async () => {},
    isInPlace: () => files.isInPlace(),
  };
}

function unsynced(file: DurableFile): DurableFile {
  return {
    write: (data, position) => file.write(data, position),
    sync: async () => {},
    truncate: (length) => file.truncate(length),
    isRemoved: () => file.isRemoved(),
    close: () => file.close(),
  };
}
