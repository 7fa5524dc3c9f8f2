import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Random } from '../../base/index.ts';
import { createWhole, ifThere, replaceWhole } from '../whole-file.ts';

/** Where keys and certificates are kept. */
export interface PkiFiles {
  /** How messages name a file. */
  place(name: string): string;
  /** Undefined when the file is not there. */
  read(name: string): Promise<string | undefined>;
  /** Creates a file that is missing; returns what it holds now, whichever process created it. */
  create(name: string, text: string): Promise<string>;
  replace(name: string, text: string): Promise<void>;
}

/** A folder whose files only their owner may read. */
export function pkiFolder(folder: string, random: Random): PkiFiles {
  const place = (name: string): string => join(folder, name);
  const read = async (name: string): Promise<string | undefined> => {
    try {
      return await ifThere(readFile(place(name), 'utf8'));
    } catch (cause) {
      throw new Error(`Cannot read "${place(name)}"`, { cause });
    }
  };
  return {
    place,
    read,
    create: async (name, text) =>
      (await createWhole(place(name), text, { random })) ? text : ((await read(name)) ?? text),
    replace: (name, text) => replaceWhole(place(name), text, { random, within: folder }),
  };
}

/** The files of these names are in one place, all others in another. */
export function splitFiles(names: readonly string[], named: PkiFiles, others: PkiFiles): PkiFiles {
  const of = (name: string): PkiFiles => (names.includes(name) ? named : others);
  return {
    place: (name) => of(name).place(name),
    read: (name) => of(name).read(name),
    create: (name, text) => of(name).create(name, text),
    replace: (name, text) => of(name).replace(name, text),
  };
}

/** Files that live as long as the process does. */
export function pkiMemory(): PkiFiles {
  const files = new Map<string, string>();
  return {
    place: (name) => name,
    read: async (name) => files.get(name),
    create: async (name, text) => {
      files.set(name, files.get(name) ?? text);
      return files.get(name) ?? text;
    },
    replace: async (name, text) => void files.set(name, text),
  };
}
