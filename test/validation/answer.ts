import type { Members } from './edits.ts';

/** What a server answered, without what differs from run to run. */
export interface Answer {
  readonly code: number;
  readonly warnings: readonly string[];
  readonly body: Members;
}

const UID = /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/g;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;
const GO_TIME = /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)? \+0000 (UTC|GMT)( m=\S+)?/g;
const VERSION = /(?<=resourceVersion(?: in object meta)?\W{1,6})\d+/gi;
const ALLOCATED_ADDRESS = /\b10\.96\.\d+\.\d+\b/g;
const ACCESS_NAME = /kube-api-access-[bcdfghjklmnpqrstvwxz2456789]{5}/g;
/** Upstream numbers the types of rules at random. */
const SELF_TYPE = /\bselfType\d+/g;
const ALLOCATED_PORT = /(?<=duplicate nodePort: \{\w+ )\d+/g;
const GENERATED = /(?<=kube-api-access-)[bcdfghjklmnpqrstvwxz2456789]{5}/g;

/** The values that a server chose for a stored object, each with a stand-in. */
export function givenValues(stored: Members, base: Members): ReadonlyMap<string, string> {
  const sent = JSON.stringify(base);
  const given = new Map<string, string>();
  for (const [what, pattern] of Object.entries({ uid: UID, address: ALLOCATED_ADDRESS, name: ACCESS_NAME })) {
    let count = 0;
    for (const [found] of JSON.stringify(stored).matchAll(pattern)) {
      if (sent.includes(found) || given.has(found)) continue;
      count += 1;
      given.set(found, `<given ${what} ${count}>`);
    }
  }
  // Times are not told apart: whether two of them are equal depends on when a second begins.
  for (const [found] of JSON.stringify(stored).matchAll(TIME))
    if (!sent.includes(found)) given.set(found, '<given time>');
  for (const [, port = ''] of JSON.stringify(stored).matchAll(/[pP]ort":(3\d{4})\b/g)) {
    if (!sent.includes(port)) given.set(`port ${port}`, '');
  }
  return given;
}

const ENDING = /[bcdfghjklmnpqrstvwxz2456789]{5}$/;

/** What the server added to the prefix of an object without a name. */
function generatedEnding({ body }: Answer, sent: string): string | undefined {
  if (!sent.includes('"generateName"')) return undefined;
  const { metadata } = JSON.parse(sent) as { readonly metadata?: unknown };
  const { name, generateName } = (metadata ?? {}) as Members;
  if ((name ?? '') !== '' || typeof generateName !== 'string') return undefined;
  const { name: made = '' } = ((body['kind'] === 'Status' ? body['details'] : body['metadata']) ?? {}) as {
    name?: string;
  };
  return ENDING.exec(made)?.[0];
}

/** Replaces uids, times, versions and allocated values that were not sent, and those that the server gave a stored object. */
export function normalized(answer: Answer, body: string, given: ReadonlyMap<string, string> = new Map()): Answer {
  const named = (found: string): string => {
    let result = found;
    for (const [value, name] of given) result = result.replaceAll(value, name);
    return result;
  };
  const sent = named(body);
  const ending = generatedEnding(answer, sent);
  const text = (found: string): string => {
    const plain = named(found)
      .replaceAll(UID, (uid) => (sent.includes(uid) ? uid : '<uid>'))
      .replaceAll(TIME, (time) => (sent.includes(time) ? time : '<time>'))
      .replaceAll(GO_TIME, '<time>')
      .replaceAll(VERSION, '<version>')
      .replaceAll(SELF_TYPE, 'selfType')
      .replaceAll(ALLOCATED_PORT, (port) => (sent.includes(port) ? port : '<port>'))
      .replaceAll(GENERATED, '<name>')
      .replaceAll(ALLOCATED_ADDRESS, (address) => (sent.includes(address) ? address : '<address>'));
    return ending === undefined ? plain : plain.replaceAll(ending, '<name>');
  };
  const value = (found: unknown, name: string): unknown => {
    if (typeof found === 'string')
      return name === 'resourceVersion' && /^\d+$/.test(found) && !sent.includes(`"labels":"${found}"`)
        ? '<version>'
        : text(found);
    if (typeof found === 'number')
      return /port$/i.test(name) &&
        found >= 30000 &&
        found <= 32767 &&
        (!sent.includes(String(found)) || given.has(`port ${found}`))
        ? '<port>'
        : found;
    if (Array.isArray(found)) return found.map((item) => value(item, name));
    if (typeof found !== 'object' || found === null) return found;
    if (name === 'managedFields' && 'time' in found) return value({ ...found, time: '<time>' }, '');
    return Object.fromEntries(
      Object.entries(found)
        .filter(([key, item]) => key !== CREDENTIAL && !(key === 'extra' && isCredential(item)))
        .map(([key, item]) => [text(key), value(item, key)]),
    );
  };
  return { code: answer.code, warnings: answer.warnings.map(text), body: value(answer.body, '') as Members };
}

/** What the certificate of a client adds to what is known of the user; clients in this process have none. */
const CREDENTIAL = 'authentication.kubernetes.io/credential-id';

function isCredential(extra: unknown): boolean {
  return typeof extra === 'object' && extra !== null && Object.keys(extra).join() === CREDENTIAL;
}

/** Equal means: the same texts, members and items, in the same order. */
export function sameAnswer(left: Answer, right: Answer): boolean {
  return comparable(left) === comparable(right);
}

/** The answer as text. Conditions change once in a second, or in two: their times are not compared. */
export function comparable(given: Answer): string {
  const answer = withRulesSorted(given);
  const text = JSON.stringify(hasRivals(answer) ? withoutStatusOwners(answer) : answer);
  return text.replaceAll(/"(last(?:Transition|Update|Probe|Heartbeat)Time)":"<given time>"/g, '"$1":"<time>"');
}

/** What a user may do is listed role by role, and upstream finds roles in any order. */
function withRulesSorted(answer: Answer): Answer {
  if (answer.body['kind'] !== 'SelfSubjectRulesReview') return answer;
  const status = (answer.body['status'] ?? {}) as Members;
  const sorted = Object.entries(status).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.map((rule) => JSON.stringify(rule)).toSorted() : value,
  ]);
  return { ...answer, body: { ...answer.body, status: Object.fromEntries(sorted) } };
}

/** Controllers of kube-apiserver write the status of these kinds too, at some other time. */
function hasRivals({ body }: Answer): boolean {
  return body['kind'] === 'FlowSchema' || body['kind'] === 'CustomResourceDefinition';
}

function withoutStatusOwners(answer: Answer): Answer {
  const metadata = (answer.body['metadata'] ?? {}) as { managedFields?: readonly { subresource?: string }[] };
  const managedFields = metadata.managedFields?.filter(({ subresource }) => subresource !== 'status');
  return { ...answer, body: { ...answer.body, metadata: { ...metadata, managedFields } } };
}

interface Cause {
  readonly field?: string;
  readonly message?: string;
  readonly reason?: string;
}

/** The answer with its problems sorted: Go iterates maps in any order. */
export function unordered({ code, warnings, body }: Answer): Answer {
  const details = body['details'] as { causes?: readonly Cause[] } | undefined;
  const parts = String(body['message'] ?? '').split(/, (?=[\w.[\]]+: )|\[|\]$/);
  return {
    code,
    warnings: warnings.toSorted(),
    body: {
      ...body,
      ...(details === undefined
        ? {}
        : { details: { ...details, causes: (details.causes ?? []).map((cause) => JSON.stringify(cause)).toSorted() } }),
      ...(body['kind'] === 'Status' ? { message: parts.toSorted() } : {}),
    },
  };
}
