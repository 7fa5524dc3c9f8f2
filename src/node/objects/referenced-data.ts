import type { KeyedData, ReferencedData } from '../config/index.ts';
import type { PodObjects } from './pod-objects.ts';

/** The data of objects, as variables of containers and credentials of pulls need it. */
export function referencedData(objects: PodObjects): ReferencedData {
  const dataOf = async (
    kind: 'configmap' | 'secret',
    namespace: string,
    name: string,
  ): Promise<KeyedData | undefined> => {
    const found = await objects.get({ kind, namespace, name });
    return found === undefined ? undefined : (found.data ?? {});
  };
  return {
    configMap: (namespace, name) => dataOf('configmap', namespace, name),
    secret: (namespace, name) => dataOf('secret', namespace, name),
  };
}
