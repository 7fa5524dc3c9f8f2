/** A key to be worked on, and what led to it. */
export interface Request {
  readonly key: string;
  readonly why: readonly string[];
}

/** As many reasons are kept; a last one stands for the rest. */
const MAX_REASONS = 8;
const MORE = 'and more';

/** Two requests for one key as one: each reason once, in the order in which they came. */
export function mergeRequests(waiting: Request, added: Request): Request {
  const news = added.why.filter((reason) => !waiting.why.includes(reason));
  if (news.length === 0 || waiting.why.at(-1) === MORE) return waiting;
  const why = [...waiting.why, ...news];
  return { key: waiting.key, why: why.length <= MAX_REASONS ? why : [...why.slice(0, MAX_REASONS), MORE] };
}
