import { StatusError, unauthorized } from '../../api/index.ts';
import type { AccessMetrics } from '../metrics/access-metrics.ts';
import { ANONYMOUS, type UserInfo } from '../request/principal.ts';
import type { IncomingRequest } from '../request/incoming-request.ts';
import type { Call } from '../request/call.ts';
import type { Stage } from './stage.ts';

/** Authenticates requests with one kind of credential. */
export interface Authenticator {
  /** The authenticator's name in traces of requests. */
  readonly name?: string;
  /** The user; undefined when the call carries no credentials of this kind; 'invalid' when they are wrong. */
  authenticate(call: Call): UserInfo | undefined | 'invalid' | Promise<UserInfo | undefined | 'invalid'>;
}

/** Decides whether a request without credentials is allowed. */
export type AnonymousRule = (request: Pick<IncomingRequest, 'path'>) => boolean;

export interface AuthenticateOptions {
  readonly metrics?: AccessMetrics;
  /** Which requests without credentials are allowed; default all. */
  readonly anonymous?: boolean | AnonymousRule;
  /** Headers, by lower-case name, that later stages do not see, besides `Authorization` and those of front proxies. */
  readonly hides?: (header: string) => boolean;
}

/** Asks one authenticator after the other. A request without credentials is anonymous; one with only wrong credentials is refused. */
export function authenticate(authenticators: readonly Authenticator[], options: AuthenticateOptions = {}): Stage {
  const { metrics, anonymous = true, hides = () => false } = options;
  const isHidden = (name: string): boolean => isCredential(name) || hides(name);
  const letsIn = (call: Call): boolean => (typeof anonymous === 'boolean' ? anonymous : anonymous(call.request));
  const enter = (call: Call, user: UserInfo, start: number): void => {
    call.principal.user = user;
    if (user === ANONYMOUS && !letsIn(call)) throw unauthorized();
    metrics?.authenticated('success', start);
    if (typeof call.request.certificate === 'object') metrics?.showed(call.request.certificate);
    call.request.hideHeaders(isHidden);
  };
  const refuse = (error: unknown, start: number): never => {
    metrics?.authenticated(error instanceof StatusError ? 'failure' : 'error', start);
    throw error;
  };
  const enterLater = async (call: Call, found: Promise<UserInfo>, start: number): Promise<void> => {
    try {
      enter(call, await found, start);
    } catch (error) {
      refuse(error, start);
    }
  };
  return (call, next) => {
    const start = metrics?.now() ?? 0;
    try {
      const found = identify(call, authenticators);
      if (found instanceof Promise) return enterLater(call, found, start).then(() => next(call));
      enter(call, found, start);
    } catch (error) {
      refuse(error, start);
    }
    return next(call);
  };
}

/** Headers that identify the user: only authentication reads them, and they are never forwarded. */
function isCredential(name: string): boolean {
  if (name === 'authorization') return true;
  return name.startsWith('x-remote-') && /^x-remote-(user|uid|group|extra-.*)$/.test(name);
}

/** Returns no promise while every authenticator answers at once. */
function identify(call: Call, authenticators: readonly Authenticator[]): UserInfo | Promise<UserInfo> {
  let wasWrong = false;
  for (let place = 0; place < authenticators.length; place++) {
    const authenticator = authenticators[place] as Authenticator;
    const asked = authenticator.authenticate(call);
    if (asked instanceof Promise) return identifyLater(call, authenticators.slice(place), { asked, wasWrong });
    if (asked === 'invalid') wasWrong = true;
    else if (asked !== undefined) return identified(call, authenticator, asked);
  }
  return withoutUser(call, wasWrong);
}

type Asked = Promise<UserInfo | undefined | 'invalid'>;

/** Continues after the first authenticator, whose answer is a promise. */
async function identifyLater(
  call: Call,
  authenticators: readonly Authenticator[],
  first: { readonly asked: Asked; readonly wasWrong: boolean },
): Promise<UserInfo> {
  let { wasWrong } = first;
  for (const [place, authenticator] of authenticators.entries()) {
    const found = await (place === 0 ? first.asked : authenticator.authenticate(call));
    if (found === 'invalid') wasWrong = true;
    else if (found !== undefined) return identified(call, authenticator, found);
  }
  return withoutUser(call, wasWrong);
}

function identified(call: Call, authenticator: Authenticator, user: UserInfo): UserInfo {
  call.record.trace?.stage?.addDetails({ by: authenticator.name ?? 'another authenticator', reason: user.name });
  return withAuthenticatedGroup(user);
}

function withoutUser(call: Call, wasWrong: boolean): UserInfo {
  // A token that no authenticator recognizes is wrong, even where none reads tokens.
  if (wasWrong || /^bearer \S/i.test(call.request.header('authorization') ?? '')) throw unauthorized();
  call.record.trace?.stage?.addDetails({ by: 'no credentials', reason: ANONYMOUS.name });
  return ANONYMOUS;
}

const AUTHENTICATED = 'system:authenticated';

/** By the user an authenticator returned: many return the same object for every request of a user. */
const authenticated = new WeakMap<UserInfo, UserInfo>();

function withAuthenticatedGroup(user: UserInfo): UserInfo {
  if (user.groups.includes(AUTHENTICATED) || user.name === ANONYMOUS.name) return user;
  const known = authenticated.get(user);
  if (known !== undefined) return known;
  const member = { ...user, groups: [...user.groups, AUTHENTICATED] };
  authenticated.set(user, member);
  return member;
}

/** Client certificates: the common name is the user, organizations are groups. */
export const certificateAuthenticator: Authenticator = {
  name: 'client certificate',
  authenticate({ request: { certificate } }) {
    if (certificate === undefined) return undefined;
    if (certificate === 'invalid') return 'invalid';
    return userOfCertificate(certificate);
  },
};

/** Identifies the credential in audit logs. */
const CREDENTIAL_ID = 'authentication.kubernetes.io/credential-id';

const users = new WeakMap<object, UserInfo>();

/** Remembered per certificate, since every request of a connection shows the same one. */
function userOfCertificate(certificate: {
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly sha256?: string;
}): UserInfo {
  const known = users.get(certificate);
  if (known !== undefined) return known;
  const { commonName: name, organizations: groups, sha256 } = certificate;
  const user = withAuthenticatedGroup({
    name,
    groups,
    ...(sha256 === undefined ? {} : { extra: { [CREDENTIAL_ID]: [`X509SHA256=${sha256}`] } }),
  });
  users.set(certificate, user);
  return user;
}
