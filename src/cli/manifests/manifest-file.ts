import { encodeYaml } from '../../api/index.ts';
import type { KubernetesObject } from '../../client/index.ts';

/** A file to be written, by its path in the folder. */
export interface ManifestFile {
  readonly path: string;
  readonly text: string;
}

/** Objects as the documents of one YAML text; empty when there are none. */
export function documents(
  objects: readonly KubernetesObject[],
  encode: (object: KubernetesObject) => string = encodeYaml,
): string {
  return objects.map(encode).join('---\n');
}
