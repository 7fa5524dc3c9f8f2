import { badRequest, quoteGo } from '../../api/index.ts';
import type { IncomingRequest, RequestHeaders, UserInfo } from '../../apiserver/index.ts';
import { extraIn } from '../authentication/extra-headers.ts';

const PREFIX = 'impersonate-';
const EXTRA_PREFIX = 'impersonate-extra-';

/** Every value is authorized separately, so their number is limited; no directory puts a user into more groups. */
const MAX_VALUES = 2048;

/** The user that a request wants to act as, from its headers. */
export interface WantedUser {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

function isImpersonation(header: string): boolean {
  return header.startsWith(PREFIX);
}

/** Whether a request has an impersonation header; most have none. */
export function isImpersonating(request: RequestHeaders): boolean {
  return request.hasHeader(isImpersonation);
}

/** Reads which user to impersonate, and removes the headers; undefined when there are none. */
export function takeWantedUser(request: IncomingRequest): WantedUser | undefined {
  const names = request.headerNames().filter(isImpersonation);
  const wanted: WantedUser = {
    name: request.headers('impersonate-user')[0] ?? '',
    uid: request.headers('impersonate-uid')[0] ?? '',
    groups: request.headers('impersonate-group'),
    extra: extraIn(request, [EXTRA_PREFIX]),
  };
  const { name, uid, groups, extra } = wanted;
  const values = groups.length + Object.values(extra).flat().length;
  if (values > MAX_VALUES)
    throw badRequest(`cannot impersonate more than ${MAX_VALUES} groups and extra values, got ${values}`);
  if (name === '' && (uid !== '' || values > 0))
    throw badRequest(`requested ${describe(wanted)} without impersonating a user name`);
  if (name === '') return undefined;
  for (const taken of names) request.replaceHeader(taken, []);
  return wanted;
}

/** As Go prints the user in its error. */
function describe({ name, uid, groups, extra }: WantedUser): string {
  const list = (texts: readonly string[]): string => `[]string{${texts.map(quoteGo).join(', ')}}`;
  const entries = Object.entries(extra).toSorted(([left], [right]) => (left < right ? -1 : 1));
  const map = entries.map(([key, values]) => `${quoteGo(key)}:${list(values)}`).join(', ');
  return (
    `&user.DefaultInfo{Name:${quoteGo(name)}, UID:${quoteGo(uid)}, ` +
    `Groups:${groups.length === 0 ? '[]string(nil)' : list(groups)}, ` +
    `Extra:map[string][]string${entries.length === 0 ? '(nil)' : `{${map}}`}}`
  );
}

/** The wanted user as a `UserInfo`. */
export function userOf({ name, uid, groups, extra }: WantedUser): UserInfo {
  return {
    name,
    ...(uid === '' ? {} : { uid }),
    groups,
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}
