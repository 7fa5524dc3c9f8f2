import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { YamlBody } from '../../api/index.ts';
import type { KubernetesObject } from '../../client/index.ts';

/** The objects of a file of YAML or JSON, or of all such files in a folder. */
export function readObjects(path: string): readonly KubernetesObject[] {
  try {
    const isFolder = statSync(path).isDirectory();
    const files = isFolder
      ? readdirSync(path)
          .filter(isManifest)
          .sort()
          .map((name) => join(path, name))
      : [path];
    return files.flatMap(objectsIn);
  } catch (cause) {
    throw new Error(`Cannot read objects of "${path}"`, { cause });
  }
}

function isManifest(name: string): boolean {
  return /\.(ya?ml|json)$/.test(name);
}

function objectsIn(file: string): readonly KubernetesObject[] {
  const values = readFileSync(file, 'utf8')
    .split(/^---(?:\s.*)?$/m)
    .map((document) => new YamlBody(document).untyped());
  return values.filter((value) => value !== null && value !== undefined).map((value) => objectOf(value, file));
}

function objectOf(value: unknown, file: string): KubernetesObject {
  const object = value as KubernetesObject;
  if (typeof object.apiVersion === 'string' && typeof object.kind === 'string') return object;
  throw new Error(`"${file}" has a document that is not an object: it lacks apiVersion or kind`);
}
