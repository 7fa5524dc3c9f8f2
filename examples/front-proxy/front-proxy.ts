import { type FrontProxy, frontProxy, type ProxyTarget } from 'keelson';

/** The users of a portal by the value of their session cookie. */
const sessions = new Map([
  ['s-1', { name: 'ada', groups: ['engineers'], extra: { 'acme.io/portal': ['north'] } }],
  ['s-2', { name: 'bob', groups: ['visitors'] }],
]);

/** Lets users reach the API server with the cookie of the portal. */
export function portal(target: () => ProxyTarget | Promise<ProxyTarget>): FrontProxy {
  return frontProxy({
    target,
    identify: ({ headers }) => sessions.get(/(?:^|; )session=([^;]*)/.exec(headers.cookie ?? '')?.[1] ?? ''),
  });
}
