import type { Observed, Pod } from '../../client/index.ts';

/** The list of a pod's specification that a container is in. */
export type ContainerList = 'containers' | 'initContainers' | 'ephemeralContainers';

/** Names of containers by specification, which never change: a pod may have thousands, and each asks several times. */
const listsOf = new WeakMap<object, ReadonlyMap<string, ContainerList>>();

/** Names that are in none count as those of ephemeral containers. */
export function containerListOf({ spec }: Observed<Pod>, name: string): ContainerList {
  if (spec === undefined) return 'ephemeralContainers';
  let lists = listsOf.get(spec);
  if (lists === undefined) {
    const { containers, initContainers = [] } = spec;
    lists = new Map([
      ...initContainers.map((container) => [container.name, 'initContainers'] as const),
      ...containers.map((container) => [container.name, 'containers'] as const),
    ]);
    listsOf.set(spec, lists);
  }
  return lists.get(name) ?? 'ephemeralContainers';
}
