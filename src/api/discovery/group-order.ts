import type { GroupVersion } from '../values/index.ts';
import type { Priority } from './priorities.ts';
import { compareVersions } from './version-order.ts';

/** A group and version that is served, by this server or by another that it passes requests on to. */
export interface ServedGroupVersion extends GroupVersion {
  readonly priority: Priority;
}

/** A group with its versions, the preferred one first. */
export interface ServedGroup<T extends ServedGroupVersion = ServedGroupVersion> {
  readonly name: string;
  readonly versions: readonly [T, ...T[]];
}

/**
 * Sorts into groups, in the order of discovery: higher priorities first. A group counts with its highest priority.
 *
 * `breakTies` orders groups of the same priority. The two forms of discovery differ in it: the aggregated one goes by
 * the name of the group; the other by the names of APIServices (`v1.apps`), so that versions come before groups.
 */
export function orderedGroups<T extends ServedGroupVersion>(
  served: readonly T[],
  breakTies: 'by group' | 'by APIService',
): ServedGroup<T>[] {
  const groups = new Map<string, [T, ...T[]]>();
  for (const one of served) {
    const versions = groups.get(one.group);
    if (versions === undefined) groups.set(one.group, [one]);
    else versions.push(one);
  }
  const keyed = [...groups].map(([name, versions]) => {
    const priority = Math.max(...versions.map((one) => one.priority.group));
    const serviceNames = versions
      .filter((one) => one.priority.group === priority)
      .map(({ version }) => `${version}.${name}`);
    const tie = breakTies === 'by group' ? name : (serviceNames.sort()[0] ?? '');
    versions.sort((a, b) => b.priority.version - a.priority.version || compareVersions(a.version, b.version));
    return { name, versions, priority, tie };
  });
  return keyed
    .sort((a, b) => b.priority - a.priority || (a.tie < b.tie ? -1 : 1))
    .map(({ name, versions }) => ({ name, versions }));
}
