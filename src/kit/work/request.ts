import type { RunCause } from './run-tracker.ts';

/** A key to be worked on, and what led to it. */
export interface Request {
  readonly key: string;
  readonly why: readonly string[];
  /** The same for a tracker, where there is one. */
  readonly causes?: readonly RunCause[];
}

/** As many reasons are kept; a last one stands for the rest. */
const MAX_REASONS = 8;
const MORE = 'and more';

/** Two requests for one key as one: each reason once, in the order in which they came. */
export function mergeRequests(waiting: Request, added: Request): Request {
  const causes = mergeCauses(waiting.causes, added.causes);
  const news = added.why.filter((reason) => !waiting.why.includes(reason));
  if (news.length === 0 || waiting.why.at(-1) === MORE)
    return causes === waiting.causes ? waiting : { ...waiting, causes };
  const why = [...waiting.why, ...news];
  const told = why.length <= MAX_REASONS ? why : [...why.slice(0, MAX_REASONS), MORE];
  return { key: waiting.key, why: told, ...(causes === undefined ? {} : { causes }) };
}

function mergeCauses(waiting: Request['causes'], added: Request['causes']): Request['causes'] {
  if (waiting === undefined || added === undefined) return waiting ?? added;
  return waiting.length >= MAX_REASONS ? waiting : [...waiting, ...added];
}
