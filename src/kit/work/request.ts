import type { RunCause } from './run-tracker.ts';

/** A key to work on, with the reasons. */
export interface Request {
  readonly key: string;
  readonly why: readonly string[];
  /** The same reasons for a tracker, if there is one. */
  readonly causes?: readonly RunCause[];
}

/** Maximum number of reasons kept; one more stands for the rest. */
const MAX_REASONS = 8;
const MORE = 'and more';

/** Merges two requests for one key: each reason once, in order. */
export function mergeRequests(waiting: Request, added: Request): Request {
  const causes = mergeCauses(waiting.causes, added.causes);
  const news = added.why.filter((reason) => !waiting.why.includes(reason));
  if (news.length === 0 || waiting.why.at(-1) === MORE)
    return causes === waiting.causes ? waiting : { ...waiting, causes };
  const why = [...waiting.why, ...news];
  const kept = why.length <= MAX_REASONS ? why : [...why.slice(0, MAX_REASONS), MORE];
  return { key: waiting.key, why: kept, ...(causes === undefined ? {} : { causes }) };
}

function mergeCauses(waiting: Request['causes'], added: Request['causes']): Request['causes'] {
  if (waiting === undefined || added === undefined) return waiting ?? added;
  return waiting.length >= MAX_REASONS ? waiting : [...waiting, ...added];
}
