import type { UserInfo } from '../request/principal.ts';

const PREFIX = 'system:node:';

/** The node that the user is, by name and group; undefined when it is no node, empty when it does not say which. */
export function nodeOf({ name, groups }: UserInfo): string | undefined {
  return name.startsWith(PREFIX) && groups.includes('system:nodes') ? name.slice(PREFIX.length) : undefined;
}
