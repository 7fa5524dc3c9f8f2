import type { UserInfo } from '../../apiserver/index.ts';
import { accountGroups, accountUserName } from './account-name.ts';
import type { BoundClaims } from './token-claims.ts';

const AUTHENTICATION = 'authentication.kubernetes.io';

/** Keys of the user's extra values that describe a token and its pod. */
export const NODE_NAME_KEY = `${AUTHENTICATION}/node-name`;
const NODE_UID_KEY = `${AUTHENTICATION}/node-uid`;
const POD_NAME_KEY = `${AUTHENTICATION}/pod-name`;
const POD_UID_KEY = `${AUTHENTICATION}/pod-uid`;
export const CREDENTIAL_ID_KEY = `${AUTHENTICATION}/credential-id`;

/** The user that a token authenticates. */
export function accountUser(claims: BoundClaims, tokenId: string): UserInfo {
  const { namespace, serviceAccount, pod, node } = claims;
  const extra: Record<string, readonly string[]> = {};
  if (tokenId !== '') extra[CREDENTIAL_ID_KEY] = [`JTI=${tokenId}`];
  if (node !== undefined && node.name !== '') {
    extra[NODE_NAME_KEY] = [node.name];
    if (node.uid !== '') extra[NODE_UID_KEY] = [node.uid];
  }
  if (pod !== undefined && pod.name !== '' && pod.uid !== '') {
    extra[POD_NAME_KEY] = [pod.name];
    extra[POD_UID_KEY] = [pod.uid];
  }
  return {
    name: accountUserName({ namespace, name: serviceAccount.name }),
    uid: serviceAccount.uid,
    groups: accountGroups(namespace),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}
