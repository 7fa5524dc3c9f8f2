import type { Kind } from '../../client/index.ts';

/** The access to a kind that a part needs, in terms of RBAC rules. */
export interface AccessNeed {
  readonly group: string;
  /** The plural, with a subresource such as `/status` if any. */
  readonly resource: string;
  readonly verbs: readonly string[];
  /** True if it is needed only in the app's own namespace. */
  readonly isLocal?: boolean;
}

const READ = ['get', 'list', 'watch'];

/** The access for reading and watching a kind. */
export function readNeed({ group, plural }: Kind): AccessNeed {
  return { group, resource: plural, verbs: READ };
}

/** The access for writing a kind or its subresource, in addition to reading. */
export function writeNeed({ group, plural }: Kind, verbs: readonly string[], subresource = ''): AccessNeed {
  return { group, resource: subresource === '' ? plural : `${plural}/${subresource}`, verbs };
}
