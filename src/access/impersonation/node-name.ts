import { dns1123SubdomainProblems } from '../../api/index.ts';

const PREFIX = 'system:node:';

/** The node with this user name; undefined when it is not a node's user name. */
export function nodeOf(userName: string): string | undefined {
  if (!userName.startsWith(PREFIX)) return undefined;
  const name = userName.slice(PREFIX.length);
  return dns1123SubdomainProblems(name).length === 0 ? name : undefined;
}
