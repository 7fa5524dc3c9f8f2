import type { AccessDecision, AdmissionAttributes, Authorizer, RequestInfo } from '../../apiserver/index.ts';

/** A permission that a plugin checks besides the request itself; missing members are empty. */
export type Asked = Pick<RequestInfo, 'verb' | 'group' | 'version' | 'resource'> &
  Partial<Pick<RequestInfo, 'namespace' | 'name' | 'subresource'>>;

/** The authorizer's decision on another permission that the user of a request needs. */
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
