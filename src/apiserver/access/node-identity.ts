import type { UserInfo } from '../request/principal.ts';

const PREFIX = 'system:node:';

/** The node that the user is, by name and group; undefined when the user is not a node, empty when the name has no node. */
export function nodeOf({ name, groups }: UserInfo): string | undefined {
  return name.startsWith(PREFIX) && groups.includes('system:nodes') ? name.slice(PREFIX.length) : undefined;
}
