/** One alternative of an Accept header. */
export interface AcceptClause {
  readonly type: string;
  readonly subtype: string;
  readonly quality: number;
  readonly parameters: ReadonlyMap<string, string>;
}

const NO_PARAMETERS: ReadonlyMap<string, string> = new Map();

/**
 * The alternatives of an Accept header, best first.
 *
 * Parses headers as Kubernetes does: names keep their case, invalid alternatives are left out, `q=0` does not forbid, and among equals the
 * first one wins.
 */
export function parseAccept(header: string): readonly AcceptClause[] {
  const clauses: AcceptClause[] = [];
  for (const part of header.split(',')) {
    const clause = parseClause(part);
    if (clause !== undefined) clauses.push(clause);
  }
  return bestFirst(clauses);
}

/** Whether a client that sends this header accepts JSON; without a header it accepts everything. */
export function takesJson(header: string): boolean {
  return takesApplication(header, 'json');
}

/** Whether it accepts `application/` and this subtype. */
export function takesApplication(header: string, wanted: string): boolean {
  if (header === '') return true;
  return parseAccept(header).some(
    ({ type, subtype }) => type === '*' || (type === 'application' && (subtype === wanted || subtype === '*')),
  );
}

function parseClause(part: string): AcceptClause | undefined {
  const [range = '', ...parameters] = trimSpaces(part).split(';');
  const [type = '', subtype = '', ...more] = range.split('/').map(trimSpaces);
  if (more.some((text) => text !== '') || (subtype === '' && type !== '*')) return undefined;
  const values = parameters.length === 0 ? NO_PARAMETERS : parseParameters(parameters);
  const quality = values.get('q');
  return {
    type,
    subtype: subtype === '' ? '*' : subtype,
    quality: quality === undefined ? 1 : parseQuality(quality),
    parameters: values,
  };
}

function parseParameters(parameters: readonly string[]): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const parameter of parameters) {
    const [name = '', value = '', ...more] = parameter.split('=');
    if (value === '' || more.some((text) => text !== '')) continue;
    const key = trimSpaces(name);
    values.set(key, key === 'q' ? value : trimSpaces(value));
  }
  return values;
}

/** Zero when it is not a number. */
function parseQuality(text: string): number {
  const quality = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : 0;
  return Number.isFinite(quality) ? quality : 0;
}

/**
 * Sorted by quality, except that precise types come before wildcards at any quality. That is not a consistent order, so the result depends
 * on the algorithm: insertion sort, as Kubernetes uses for headers of sensible length.
 */
function bestFirst(clauses: AcceptClause[]): readonly AcceptClause[] {
  if (clauses.length > MAX_INSERTION_SORT) return clauses.sort((left, right) => right.quality - left.quality);
  for (let end = 1; end < clauses.length; end++) {
    for (let at = end; at > 0; at--) {
      const clause = clauses[at] as AcceptClause;
      const before = clauses[at - 1] as AcceptClause;
      if (!isBetter(clause, before)) break;
      clauses[at] = before;
      clauses[at - 1] = clause;
    }
  }
  return clauses;
}

const MAX_INSERTION_SORT = 12;

function isBetter(left: AcceptClause, right: AcceptClause): boolean {
  return (
    left.quality > right.quality ||
    (left.type !== '*' && right.type === '*') ||
    (left.subtype !== '*' && right.subtype === '*')
  );
}

/** Removes spaces only, in linear time for any input. */
function trimSpaces(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && text.charCodeAt(from) === SPACE) from++;
  while (to > from && text.charCodeAt(to - 1) === SPACE) to--;
  return from === 0 && to === text.length ? text : text.slice(from, to);
}

const SPACE = 0x20;
