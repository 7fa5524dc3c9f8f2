import type { GroupVersion } from '../values/index.ts';
import type { Priority } from './priorities.ts';
import { compareVersions } from './version-order.ts';

/** A group and version that is served, by this server or by one behind it. */
export interface ServedGroupVersion extends GroupVersion {
  readonly priority: Priority;
}

/** A group with its versions, the preferred one first. */
export interface ServedGroup<T extends ServedGroupVersion = ServedGroupVersion> {
  readonly name: string;
  readonly versions: readonly [T, ...T[]];
}

/** Orders versions of one group by preference: higher priorities first, then the more stable ones. */
export function comparePreference(left: ServedGroupVersion, right: ServedGroupVersion): number {
  return right.priority.version - left.priority.version || compareVersions(left.version, right.version);
}

/**
 * Groups in the order of discovery: higher priorities first. A group counts with its highest priority.
 *
 * `breakTies` orders groups of the same priority. The two forms of discovery differ in it: the aggregated one uses
 * the name of the group; the other the names of APIServices (`v1.apps`), so that versions come before groups.
 */
export function orderedGroups<G extends ServedGroup>(
  groups: readonly G[],
  breakTies: 'by group' | 'by APIService',
): G[] {
  const keyed = groups.map((group) => {
    const { name, versions } = group;
    const priority = Math.max(...versions.map((one) => one.priority.group));
    const serviceNames = versions
      .filter((one) => one.priority.group === priority)
      .map(({ version }) => `${version}.${name}`);
    return { group, priority, tie: breakTies === 'by group' ? name : (serviceNames.sort()[0] ?? '') };
  });
  return keyed.sort((a, b) => b.priority - a.priority || (a.tie < b.tie ? -1 : 1)).map(({ group }) => group);
}
