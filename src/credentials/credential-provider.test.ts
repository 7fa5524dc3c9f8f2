import { expect, test } from 'vitest';
import { credentialProvider, type CredentialRequest, type RegistryCredentials } from './published.ts';

const V1 = 'credentialprovider.kubelet.k8s.io/v1';
const claims = { 'kubernetes.io': { namespace: 'team', serviceaccount: { name: 'builder', uid: 'u7' } } };
const token = `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2ln`;

function requestText(fields: object = {}): string {
  return JSON.stringify({
    kind: 'CredentialProviderRequest',
    apiVersion: V1,
    image: 'r.example.com:5000/a/b',
    ...fields,
  });
}

async function answerOf(
  get: (request: CredentialRequest) => RegistryCredentials | undefined,
  input = requestText(),
): Promise<unknown> {
  const { code, stdout, stderr } = await credentialProvider({ name: 'vault', get }).run(input);
  return code === 0 ? (JSON.parse(stdout) as unknown) : stderr;
}

test('credentials are for the registry of the image, and kept for the image, by default', async () => {
  const asked: CredentialRequest[] = [];
  const answer = await answerOf((request) => {
    asked.push(request);
    return { username: 'ann', password: 'secret' };
  });
  expect(asked).toMatchObject([
    { image: 'r.example.com:5000/a/b', registry: 'r.example.com:5000', account: undefined },
  ]);
  expect(answer).toEqual({
    kind: 'CredentialProviderResponse',
    apiVersion: V1,
    cacheKeyType: 'Image',
    auth: { 'r.example.com:5000': { username: 'ann', password: 'secret' } },
  });
});

test('an answer says which images it is good for, and for how long', async () => {
  const wide = { username: 'a', password: 'b', images: '*.example.com', cacheFor: '1h30m', cacheBy: 'all' } as const;
  expect(await answerOf(() => wide)).toMatchObject({
    cacheKeyType: 'Global',
    cacheDuration: '1h30m0s',
    auth: { '*.example.com': { username: 'a', password: 'b' } },
  });
  expect(await answerOf(() => ({ ...wide, cacheFor: 0, cacheBy: 'registry' }))).toMatchObject({
    cacheKeyType: 'Registry',
    cacheDuration: '0s',
  });
});

test('without credentials the node pulls without, and asks again', async () => {
  expect(await answerOf(() => undefined)).toMatchObject({ cacheKeyType: 'Image', cacheDuration: '0s', auth: null });
});

test('the account of the pod comes with its token and the annotations that were asked for', async () => {
  const annotations = { 'vault/role': 'reader' };
  const answer = await answerOf(
    ({ account }) => ({
      username: `${account?.namespace}/${account?.name}/${account?.uid}`,
      password: account?.annotations['vault/role'] ?? '',
    }),
    requestText({ serviceAccountToken: token, serviceAccountAnnotations: annotations }),
  );
  expect(answer).toMatchObject({ auth: { 'r.example.com:5000': { username: 'team/builder/u7', password: 'reader' } } });
});

test('older versions are answered in kind', async () => {
  const apiVersion = 'credentialprovider.kubelet.k8s.io/v1beta1';
  expect(await answerOf(() => undefined, requestText({ apiVersion }))).toMatchObject({ apiVersion });
});

test.each([
  ['vault: Cannot read the request from stdin: it is no JSON', 'hello'],
  ['vault: Cannot answer a "Pod" of', requestText({ kind: 'Pod' })],
  ['need a CredentialProviderRequest of credentialprovider.kubelet.k8s.io/v1,', requestText({ apiVersion: 'v2' })],
  ['vault: Cannot answer a request with the image undefined', requestText({ image: undefined })],
  ['vault: Cannot read the token of the service account', requestText({ serviceAccountToken: 'x.y.z' })],
])('a request is refused on stderr: %s', async (message, input) => {
  expect(await answerOf(() => undefined, input)).toContain(message);
});

test('what the function throws is the message of the provider', async () => {
  const failing = (): never => {
    throw new Error('the vault is sealed');
  };
  expect(await answerOf(failing)).toBe('vault: the vault is sealed\n');
  expect(() => credentialProvider({ name: '../vault', get: failing })).toThrow('Not a name of a credential provider');
});
