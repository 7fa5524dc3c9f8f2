import type { Call, RequestInfo } from '../../apiserver/index.ts';

/** A watch of pods that selects a node receives only that node's pods, so it does not count. */
const NODE_FIELD = /(?:^|,)spec\.nodeName==?([^,]*)/;

/** The number of open watches, by what they select. */
export class WatchCounts {
  /** By group and resource, then by namespace and name. */
  readonly #kinds = new Map<string, Map<string, number>>();

  /** Counts a watch until the returned function is called. */
  open({ info }: Call): () => void {
    if (isOfOneNode(info)) return () => undefined;
    const kind = kindOf(info);
    const place = placeOf(info.namespace, info.name);
    const counts = this.#kinds.get(kind) ?? new Map<string, number>();
    this.#kinds.set(kind, counts);
    counts.set(place, (counts.get(place) ?? 0) + 1);
    return () => {
      const left = (counts.get(place) ?? 1) - 1;
      if (left > 0) counts.set(place, left);
      else counts.delete(place);
      if (counts.size === 0 && this.#kinds.get(kind) === counts) this.#kinds.delete(kind);
    };
  }

  /** The number of watches to notify when this request changes something. */
  interestedIn(info: RequestInfo): number {
    const counts = this.#kinds.get(kindOf(info));
    if (counts === undefined) return 0;
    const { namespace, name } = info;
    let count = counts.get(placeOf('', '')) ?? 0;
    if (namespace !== '') count += counts.get(placeOf(namespace, '')) ?? 0;
    if (name !== '') count += counts.get(placeOf(namespace, name)) ?? 0;
    return count;
  }
}

function isOfOneNode({ resource, fieldSelector = '' }: RequestInfo): boolean {
  if (resource !== 'pods') return false;
  const node = NODE_FIELD.exec(fieldSelector)?.[1] ?? '';
  return node !== '';
}

function kindOf({ group, resource }: RequestInfo): string {
  return group === '' ? resource : `${resource}.${group}`;
}

function placeOf(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}
