import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../base/index.ts';
import type { KubernetesObject } from '../kind.ts';
import { documentsIn } from './documents.ts';

/** An object of a file. */
export interface Manifest {
  readonly object: KubernetesObject & { readonly kind: string; readonly apiVersion: string };
  /** The file and document, for messages. */
  readonly place: string;
}

const EXTENSIONS = /\.(ya?ml|json)$/;
/** More files than real folders have: stops at symbolic links that form a loop. */
const MAX_FILES = 10_000;
const MAX_DEPTH = 32;

/** Reads the objects of YAML and JSON files, and of all such files in folders, in the order of their paths. */
export async function readManifests(paths: readonly string[]): Promise<readonly Manifest[]> {
  const files: string[] = [];
  for (const path of paths) await findFiles(path, files);
  const manifests: Manifest[] = [];
  for (const file of files) manifests.push(...manifestsIn(await readFile(file, 'utf8'), file));
  return manifests;
}

async function findFiles(path: string, found: string[], depth = 0): Promise<void> {
  const info = await stat(path).catch((cause: unknown) => {
    throw new Error(`Cannot load "${path}": ${messageOf(cause)}`, { cause });
  });
  if (!info.isDirectory()) {
    if (depth === 0 || EXTENSIONS.test(path)) found.push(path);
    if (found.length > MAX_FILES) throw new Error(`Cannot load "${path}": there are more than ${MAX_FILES} files`);
    return;
  }
  if (depth > MAX_DEPTH) throw new Error(`Cannot load "${path}": it is more than ${MAX_DEPTH} folders deep`);
  for (const name of (await readdir(path)).sort()) await findFiles(join(path, name), found, depth + 1);
}

/** The objects of a text; a List gives its items. */
export function manifestsIn(text: string, file: string): readonly Manifest[] {
  return documentsIn(text, file).flatMap(({ value, place }) => objectsOf(value, place));
}

function objectsOf(value: unknown, place: string): readonly Manifest[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(`Cannot load ${place}: it is not an object`);
  const { kind, apiVersion, items } = value as Readonly<Record<string, unknown>>;
  if (typeof apiVersion !== 'string' || apiVersion === '') throw new Error(`Cannot load ${place}: apiVersion not set`);
  if (typeof kind !== 'string' || kind === '') throw new Error(`Cannot load ${place}: kind not set`);
  if (kind.endsWith('List') && Array.isArray(items))
    return items.flatMap((item: unknown, index) => objectsOf(item, `item ${index + 1} of ${place}`));
  return [{ object: { ...value, kind, apiVersion }, place }];
}
