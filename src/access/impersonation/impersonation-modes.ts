import type { StatusError } from '../../api/index.ts';
import type { RequestInfo, UserInfo } from '../../apiserver/index.ts';
import { accountOf } from '../service-accounts/account-name.ts';
import { NODE_NAME_KEY } from '../service-accounts/account-user.ts';
import type { ImpersonationCheck } from './impersonation-check.ts';
import type { WantedUser } from './impersonation-headers.ts';
import { nodeOf } from './node-name.ts';
import { checkWantedUser } from './wanted-user-check.ts';

/** The question: may `check.user` do `info` as `wanted`? */
export interface ImpersonationRequest {
  readonly wanted: WantedUser;
  readonly info: RequestInfo;
  readonly check: ImpersonationCheck;
}

export type ModeAnswer =
  | { readonly user: UserInfo; readonly constraint: string }
  | { readonly refused: StatusError }
  /** This mode does not apply to users of this kind. */
  | undefined;

/** One mode in which impersonation can be allowed. */
export type ImpersonationMode = (request: ImpersonationRequest) => Promise<ModeAnswer>;

/**
 * Constrained impersonation (KEP-5284): `impersonate-on:MODE:VERB` must be allowed for the request itself, and
 * `impersonate:MODE` for the wanted user.
 */
function constrained(
  mode: string,
  applies: (wanted: WantedUser, requestor: UserInfo) => boolean,
  refine: Refinement = {},
): ImpersonationMode {
  const verb = `impersonate:${mode}`;
  return async ({ wanted, info, check: plain }) => {
    if (!applies(wanted, plain.user)) return undefined;
    const check = refine.requestor === undefined ? plain : plain.as(refine.requestor(plain.user));
    const refused = await check.refusal({ ...info, verb: `impersonate-on:${mode}:${info.verb}` });
    if (refused !== undefined) return { refused };
    const { nodeName } = refine;
    const rules = { verb, isConstrained: true, ...(nodeName === undefined ? {} : { nodeName }) };
    const answer = await checkWantedUser(wanted, check, rules);
    return 'user' in answer ? { user: answer.user, constraint: verb } : answer;
  };
}

interface Refinement {
  readonly requestor?: (user: UserInfo) => UserInfo;
  readonly nodeName?: string;
}

/** Legacy impersonation, which does not restrict what is done as the other user. */
const legacy: ImpersonationMode = async ({ wanted, check }) => {
  const answer = await checkWantedUser(wanted, check, { verb: 'impersonate', isConstrained: false });
  return 'user' in answer ? { user: answer.user, constraint: '' } : answer;
};

/** In the order in which they are tried. */
export const impersonationModes: readonly ImpersonationMode[] = [
  constrained('associated-node', isOwnNode, { requestor: withoutNode, nodeName: '*' }),
  constrained('arbitrary-node', (wanted) => isNameAlone(wanted) && nodeOf(wanted.name) !== undefined),
  constrained('serviceaccount', (wanted) => isNameAlone(wanted) && accountOf(wanted.name) !== undefined),
  constrained('user-info', ({ name }) => nodeOf(name) === undefined && accountOf(name) === undefined),
  legacy,
];

function isNameAlone({ uid, groups, extra }: WantedUser): boolean {
  return uid === '' && groups.length === 0 && Object.keys(extra).length === 0;
}

/** A pod's token names the node that the pod runs on. */
function isOwnNode(wanted: WantedUser, requestor: UserInfo): boolean {
  const node = nodeOf(wanted.name);
  if (!isNameAlone(wanted) || node === undefined || accountOf(requestor.name) === undefined) return false;
  const known = requestor.extra?.[NODE_NAME_KEY] ?? [];
  return known.length === 1 && known[0] === node;
}

/** The right applies to every node, so authorizers see that there is a node, but not its name. */
function withoutNode(user: UserInfo): UserInfo {
  const keys = Object.keys(user.extra ?? {}).toSorted();
  return { ...user, extra: { 'authentication.kubernetes.io/associated-node-keys': keys } };
}
