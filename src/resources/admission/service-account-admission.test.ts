import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { PodSpec } from '../../api/types/core/v1.d.ts';
import { settle } from '../../base/index.ts';
import { type Reply, TestApi } from '../testing/test-api.ts';
import { serviceAccountAdmission } from './service-account-admission.ts';

let api: TestApi;

beforeEach(async () => {
  api = await TestApi.open({}, (parts) => [serviceAccountAdmission(parts)]);
});

afterEach(() => api[Symbol.asyncDispose]());

const TOKEN_PATH = '/var/run/secrets/kubernetes.io/serviceaccount';

function createAccount(members: object = {}, name = 'default'): Promise<Reply> {
  return api.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name }, ...members });
}

function createPod(spec: object = {}, metadata: object = { name: 'p' }): Promise<Reply> {
  const containers = [{ name: 'c', image: 'i' }];
  return api.create({ apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers, ...spec } });
}

function specOf({ code, body }: Reply): PodSpec {
  expect([code, body.message]).toEqual([201, undefined]);
  return body['spec'] as PodSpec;
}

describe('a pod', () => {
  test('gets the account "default", with its token and its pull secrets', async () => {
    await createAccount({ imagePullSecrets: [{ name: 'registry' }] });

    const spec = specOf(await createPod({ initContainers: [{ name: 'i', image: 'i' }] }));

    const [volume] = spec.volumes ?? [];
    expect(volume?.name).toMatch(/^kube-api-access-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    expect(volume?.projected?.sources?.map((source) => Object.keys(source)[0])).toEqual([
      'serviceAccountToken',
      'configMap',
      'downwardAPI',
    ]);
    const mount = { name: volume?.name, readOnly: true, mountPath: TOKEN_PATH };
    expect(spec.containers?.[0]?.volumeMounts).toEqual([mount]);
    expect(spec.initContainers?.[0]?.volumeMounts).toEqual([mount]);
    expect(spec).toMatchObject({
      serviceAccountName: 'default',
      serviceAccount: 'default',
      imagePullSecrets: [{ name: 'registry' }],
    });
  });

  test('gets no token if it or its account opts out; the pod takes precedence', async () => {
    await createAccount({ automountServiceAccountToken: false });

    expect(specOf(await createPod()).volumes).toBeUndefined();
    expect(specOf(await createPod({ automountServiceAccountToken: true }, { name: 'q' })).volumes).toHaveLength(1);
  });

  test('keeps its own mount at that path', async () => {
    await createAccount();
    const volumeMounts = [{ name: 'v', mountPath: TOKEN_PATH }];
    const containers = [{ name: 'c', image: 'i', volumeMounts }];

    const spec = specOf(await createPod({ containers, volumes: [{ name: 'v', emptyDir: {} }] }));

    expect(spec.volumes?.map(({ name }) => name)).toEqual(['v']);
    expect(spec.containers?.[0]?.volumeMounts).toEqual(volumeMounts);
  });

  test('is refused at once if its account does not exist', async () => {
    const { code, body } = await createPod({ serviceAccountName: 'robot' }, { generateName: 'p-' });

    const why = 'error looking up service account kinds/robot: serviceaccount "robot" not found';
    expect([code, body.message]).toEqual([403, `pods "p-" is forbidden: ${why}`]);
  });

  test('waits for the account "default", which is created after its namespace', async () => {
    const reply = createPod();
    await settle();
    expect(api.clock.pending).toBe(1);

    await createAccount();

    expect((await reply).code).toBe(201);
    expect(api.clock.pending).toBe(0);
  });

  test('is refused if "default" is not created in time', async () => {
    const reply = createPod();
    await settle();
    await api.clock.advance(2000);

    const { code, body } = await reply;
    expect(code).toBe(403);
    expect(body.message).toContain('serviceaccount "default" not found');
  });
});

test('a mirror pod is not changed, and may not have an account', async () => {
  const mirror = (name: string) => ({ name, annotations: { 'kubernetes.io/config.mirror': 'x' } });

  const spec = specOf(await createPod({ nodeName: 'n' }, mirror('p')));
  const refused = await createPod({ nodeName: 'n', serviceAccountName: 'default' }, mirror('q'));

  expect([spec.serviceAccountName, spec.volumes]).toEqual([undefined, undefined]);
  expect(refused.body.message).toBe('pods "q" is forbidden: a mirror pod may not reference service accounts');
});

test('an account may restrict its pods to the secrets that it lists', async () => {
  const annotations = { 'kubernetes.io/enforce-mountable-secrets': 'true' };
  await createAccount({ metadata: { name: 'default', annotations }, secrets: [{ name: 'listed' }] });
  const volumes = (secretName: string) => [{ name: 'v', secret: { secretName } }];

  expect((await createPod({ volumes: volumes('listed') })).code).toBe(201);
  const { body } = await createPod({ volumes: volumes('other') }, { name: 'q' });
  expect(body.message).toBe(
    'pods "q" is forbidden: volume with secret.secretName="other" is not allowed because service account default does not reference that secret',
  );
});
