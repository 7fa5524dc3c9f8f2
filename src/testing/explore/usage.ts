import type { App } from '../../kit/index.ts';
import { isWork, isWriteVerb, type Journal, type JournalRequest } from './journal.ts';
import type { Problem } from './problem.ts';

/** A right that an operator has used. */
export interface UsedRight {
  readonly group: string;
  /** The plural, with a subresource such as `/status` if any. */
  readonly resource: string;
  readonly verbs: readonly string[];
}

/** What the requests of a scenario cost, and which of them could be saved. */
export interface RequestCost {
  readonly reads: number;
  readonly writes: number;
  /** Reads of kinds that the operator watches: its cache has the answer. */
  readonly cachedReads: readonly string[];
  /** Writes that changed nothing. */
  readonly emptyWrites: readonly string[];
  /** Lists by runs, of all objects of a kind. */
  readonly unselectedLists: readonly string[];
}

/** The least rights with which the run would have gone the same way. */
export function usedRights({ requests }: Journal): readonly UsedRight[] {
  const used = new Map<string, { group: string; resource: string; verbs: Set<string> }>();
  for (const { group, resource, subresource, verb, isOfRun } of requests) {
    const whole = subresource === '' ? resource : `${resource}/${subresource}`;
    const key = `${whole}.${group}`;
    const right = used.get(key) ?? { group, resource: whole, verbs: new Set<string>() };
    used.set(key, right);
    right.verbs.add(verb);
    if (verb === 'list' && !isOfRun) right.verbs.add('get').add('watch'); // a cache
  }
  return [...used.values()].map(({ verbs, ...right }) => ({ ...right, verbs: [...verbs].sort() }));
}

/** Rights that were used and that the app does not declare, so that its role would not grant them. */
export function undeclaredRights({ requests }: Journal, { needs }: Pick<App, 'needs'>): readonly Problem[] {
  const declared = new Set(
    needs.flatMap(({ group, resource, verbs }) => verbs.map((verb) => `${verb} ${resource}.${group}`)),
  );
  const missing = new Set<string>();
  for (const request of requests) {
    const { group, resource, subresource, verb, code = 0 } = request;
    const whole = subresource === '' ? resource : `${resource}/${subresource}`;
    if (!isWork(request) || code >= 400 || declared.has(`${verb} ${whole}.${group}`)) continue;
    missing.add(`${verb} ${whole}${group === '' ? '' : `.${group}`}`);
  }
  return [...missing].map((right) => ({
    oracle: 'rights',
    message: `it uses the right to ${right}, which the app does not declare`,
    subject: right,
  }));
}

export function costOf(journal: Journal): RequestCost {
  const work = journal.requests.filter((request) => isWork(request) && request.isOfRun);
  const watched = new Set(journal.entries.flatMap((entry) => (entry.type === 'event' ? [entry.resource] : [])));
  const words = (requests: readonly JournalRequest[]): readonly string[] => [
    ...new Set(requests.map(({ request }) => request)),
  ];
  const versions = new Map<string, string>();
  const empty = work.filter(({ verb, answer, code }) => {
    const { uid = '', resourceVersion = '' } = answer?.metadata ?? {};
    if (uid === '') return false;
    const isSame = versions.get(uid) === resourceVersion;
    versions.set(uid, resourceVersion);
    return isSame && code === 200 && (verb === 'update' || verb === 'patch');
  });
  const resourceOf = ({ resource, group }: JournalRequest): string =>
    group === '' ? resource : `${resource}.${group}`;
  return {
    reads: work.filter(({ verb }) => !isWriteVerb(verb)).length,
    writes: journal.writes.length,
    cachedReads: words(work.filter((each) => each.verb === 'get' && watched.has(resourceOf(each)))),
    emptyWrites: words(empty),
    unselectedLists: words(work.filter(({ verb }) => verb === 'list')),
  };
}
