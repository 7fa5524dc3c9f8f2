import type { Kind } from '../../client/index.ts';

/** What a part does to objects of a kind, in words of roles. */
export interface AccessNeed {
  readonly group: string;
  /** The plural, with `/status` and the like. */
  readonly resource: string;
  readonly verbs: readonly string[];
  /** True for what is needed in the app's own namespace only. */
  readonly isLocal?: boolean;
}

const READ = ['get', 'list', 'watch'];

/** What watching and reading a kind takes. */
export function readNeed({ group, plural }: Kind): AccessNeed {
  return { group, resource: plural, verbs: READ };
}

/** The same with writing it; `subresource` is that of the kind which is written, if any. */
export function writeNeed({ group, plural }: Kind, verbs: readonly string[], subresource = ''): AccessNeed {
  return { group, resource: subresource === '' ? plural : `${plural}/${subresource}`, verbs };
}
