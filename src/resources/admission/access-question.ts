import type { AccessDecision, AdmissionAttributes, Authorizer, RequestInfo } from '../../apiserver/index.ts';

/** What a plugin asks for beyond the request itself; members that are not named are empty. */
export type Asked = Pick<RequestInfo, 'verb' | 'group' | 'version' | 'resource'> &
  Partial<Pick<RequestInfo, 'namespace' | 'name' | 'subresource'>>;

/** What the authorizer says of something else that the user of a request would need to be allowed. */
export async function decisionOn(
  authorizer: Authorizer,
  { user, signal }: Pick<AdmissionAttributes, 'user' | 'signal'>,
  asked: Asked,
): Promise<AccessDecision> {
  const { name = '', subresource = '', resource } = asked;
  const parts = [resource, name, subresource].filter((part) => part !== '');
  const info: RequestInfo = {
    isResource: true,
    path: '',
    namespace: '',
    subpath: '',
    parts,
    name,
    subresource,
    ...asked,
  };
  return authorizer.authorize({ user, info, signal });
}

export async function mayDo(
  authorizer: Authorizer,
  request: Pick<AdmissionAttributes, 'user' | 'signal'>,
  asked: Asked,
): Promise<boolean> {
  return (await decisionOn(authorizer, request, asked)).verdict === 'allow';
}
