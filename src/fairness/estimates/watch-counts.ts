import type { Call, RequestInfo } from '../../apiserver/index.ts';

/** A watch of pods that names a node is told of that node's pods only; it does not count. */
const NODE_FIELD = /(?:^|,)spec\.nodeName==?([^,]*)/;

/** How many watches are open, by what they look at. */
export class WatchCounts {
  readonly #counts = new Map<string, number>();

  /** Counts a watch until the result is called. */
  open({ info }: Call): () => void {
    if (isOfOneNode(info)) return () => undefined;
    const key = keyOf(info, info.namespace, info.name);
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
    return () => {
      const left = (this.#counts.get(key) ?? 1) - 1;
      if (left > 0) this.#counts.set(key, left);
      else this.#counts.delete(key);
    };
  }

  /** How many watches are to be told when this request changes something. */
  interestedIn(info: RequestInfo): number {
    const { namespace, name } = info;
    let count = this.#counts.get(keyOf(info, '', '')) ?? 0;
    if (namespace !== '') count += this.#counts.get(keyOf(info, namespace, '')) ?? 0;
    if (name !== '') count += this.#counts.get(keyOf(info, namespace, name)) ?? 0;
    return count;
  }
}

function isOfOneNode({ resource, fieldSelector = '' }: RequestInfo): boolean {
  if (resource !== 'pods') return false;
  const node = NODE_FIELD.exec(fieldSelector)?.[1] ?? '';
  return node !== '';
}

function keyOf({ group, resource }: RequestInfo, namespace: string, name: string): string {
  return `${group}/${resource}/${namespace}/${name}`;
}
