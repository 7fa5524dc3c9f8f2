import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AuthenticationSettings } from '../../cluster/index.ts';
import { TestPlane } from '../testing/test-plane.ts';

const PROXY = { commonName: 'front-proxy-client', organizations: ['proxies'] };
const USER_HEADERS = {
  'X-Remote-User': 'ada',
  'X-Remote-Uid': '7',
  'X-Remote-Group': ['dev', 'ops, and more'],
  'X-Remote-Extra-Acme.com%2Fscopes': ['view', 'edit'],
};

let plane: TestPlane;
beforeEach(async () => {
  plane = await TestPlane.start();
});
afterEach(() => plane[Symbol.asyncDispose]());

async function restart(authentication: AuthenticationSettings): Promise<void> {
  await plane[Symbol.asyncDispose]();
  plane = await TestPlane.start({ access: { authentication } });
}

describe('a front proxy', () => {
  test('authenticates the user that its headers name', async () => {
    expect(await plane.whoami({ proxyCertificate: PROXY, headers: USER_HEADERS })).toEqual({
      username: 'ada',
      uid: '7',
      groups: ['dev', 'ops, and more', 'system:authenticated'],
      extra: { 'acme.com/scopes': ['view', 'edit'] },
    });
  });

  test('that names no user is not authenticated, though its certificate has a name', async () => {
    expect(await plane.whoami({ proxyCertificate: PROXY })).toMatchObject({ code: 403 });
  });

  test('must have one of the allowed names', async () => {
    const stranger = { ...PROXY, commonName: 'stranger' };
    expect(await plane.whoami({ proxyCertificate: stranger, headers: USER_HEADERS })).toMatchObject({ code: 401 });
    await restart({ frontProxy: { allowedNames: [] } });
    expect(await plane.whoami({ proxyCertificate: stranger, headers: USER_HEADERS })).toMatchObject({
      username: 'ada',
    });
  });

  test('may use headers with other names', async () => {
    await restart({ frontProxy: { usernameHeaders: ['X-User', 'X-Other'], groupHeaders: ['X-Group', 'X-Role'] } });
    const headers = { 'x-other': 'eve', 'x-group': 'a', 'x-role': 'b', 'X-Remote-User': 'ada' };
    expect(await plane.whoami({ proxyCertificate: PROXY, headers })).toMatchObject({
      username: 'eve',
      groups: ['a', 'b', 'system:authenticated'],
    });
  });
});

describe('headers of a front proxy', () => {
  test.each([
    ['without a certificate', {}, 'system:anonymous'],
    ['with a certificate of the authority for clients', { certificate: { ...PROXY } }, 'front-proxy-client'],
  ])('mean nothing %s', async (_what, credentials, name) => {
    const { body, code } = await plane.send('GET', '/api/v1/nodes', {
      ...credentials,
      headers: { ...USER_HEADERS, 'X-Remote-Group': 'system:masters' },
    });
    expect(code).toBe(403);
    expect(body['message']).toContain(`User "${name}" cannot list`);
  });

  test('are removed by authentication, as is the token', async () => {
    const seen: Record<string, string | undefined> = {};
    await plane[Symbol.asyncDispose]();
    plane = await TestPlane.start({
      access: { authentication: { frontProxy: { usernameHeaders: ['X-User'] } } },
      extensions: {
        paths: [
          {
            handle(call) {
              if (call.request.path !== '/seen') return undefined;
              for (const name of call.request.headerNames()) seen[name] = call.request.header(name);
              return { type: 'bytes', code: 200, contentType: 'application/json', body: '{}' };
            },
          },
        ],
      },
    });
    const headers = { ...USER_HEADERS, 'X-User': 'eve', Authorization: 'Bearer x', 'X-Remote-Port': '1' };
    await plane.admin('GET', '/seen', undefined, headers);
    expect(Object.keys(seen)).toEqual(['content-type', 'x-remote-port']);
  });
});
