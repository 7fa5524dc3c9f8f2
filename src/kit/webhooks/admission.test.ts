import { describe, expect, test } from 'vitest';
import { ConfigMap } from '../../client/index.ts';
import { admission, type AdmissionOptions } from './admission.ts';
import { admissionServer } from './admission-server.ts';

const context = { signal: new AbortController().signal };
const base = { name: 'maps.acme.dev', failurePolicy: 'Ignore' } as const;
const configMap = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a' }, data: { a: '1' } };

function review(request: object = {}, version = 'v1'): unknown {
  return {
    apiVersion: `admission.k8s.io/${version}`,
    kind: 'AdmissionReview',
    request: {
      uid: 'u1',
      operation: 'CREATE',
      object: JSON.parse(JSON.stringify(configMap)) as object,
      oldObject: null,
      dryRun: false,
      userInfo: { username: 'ada', groups: ['dev'] },
      ...request,
    },
  };
}

const answer = (response: object, version = 'v1') => ({
  apiVersion: `admission.k8s.io/${version}`,
  kind: 'AdmissionReview',
  response: { uid: 'u1', ...response },
});

function of(options: Partial<AdmissionOptions<ConfigMap>>) {
  return admission(ConfigMap, { ...base, ...options });
}

describe('admission()', () => {
  test.each(['v1', 'v1beta1'])('answers %s with the patch to what mutate returns', async (version) => {
    const { mutate } = of({ mutate: (object) => ({ ...object, data: { ...object.data, b: '2' } }) });
    const patch = Buffer.from('[{"op":"add","path":"/data/b","value":"2"}]').toString('base64');
    expect(await mutate?.(review({}, version), context)).toEqual(
      answer({ allowed: true, patchType: 'JSONPatch', patch }, version),
    );
  });

  test('answers without a patch when nothing changes, and when an object is deleted', async () => {
    const nothing = of({ mutate: () => undefined });
    expect(await nothing.mutate?.(review(), context)).toEqual(answer({ allowed: true }));
    const same = of({ mutate: (object) => ({ ...object }) });
    expect(await same.mutate?.(review(), context)).toEqual(answer({ allowed: true }));
    const deleted = of({ mutate: (object) => ({ ...object, data: {} }) });
    const request = { operation: 'DELETE', object: null, oldObject: configMap };
    expect(await deleted.mutate?.(review(request), context)).toEqual(answer({ allowed: true }));
  });

  test('ignores changes in place', async () => {
    const { mutate } = of({ mutate: (object) => Object.assign(object, { data: {} }) });
    await expect(mutate?.(review(), context)).rejects.toThrow(TypeError);
  });

  test('refuses with what validate returns or throws', async () => {
    const status = { code: 403, reason: 'Forbidden', message: 'no' };
    const returning = of({ validate: () => 'no' });
    expect(await returning.validate?.(review(), context)).toEqual(answer({ allowed: false, status }));
    const throwing = of({
      validate: () => {
        throw new Error('no');
      },
    });
    expect(await throwing.validate?.(review(), context)).toEqual(answer({ allowed: false, status }));
    expect(await of({ validate: () => undefined }).validate?.(review(), context)).toEqual(answer({ allowed: true }));
  });

  test('passes the request to validate, and its warnings to the client', async () => {
    const { validate } = of({
      validate: (object, { operation, old, user, dryRun, warn }) =>
        warn(JSON.stringify([object.data, operation, old?.data, user, dryRun])),
    });
    const old = { ...configMap, data: { a: '0' } };
    const asked = review({ operation: 'UPDATE', oldObject: old, dryRun: true });
    const warning = '[{"a":"1"},"UPDATE",{"a":"0"},{"name":"ada","groups":["dev"]},true]';
    expect(await validate?.(asked, context)).toEqual(answer({ allowed: true, warnings: [warning] }));
  });

  test.each([
    ['null', null, 'expected an AdmissionReview of'],
    ['another version', review({}, 'v2'), 'got "admission.k8s.io/v2" "AdmissionReview"'],
    ['a connection', review({ operation: 'CONNECT' }), 'request.operation must be one of CREATE, UPDATE, DELETE'],
    ['no object', review({ object: null }), 'request needs an object or an oldObject'],
  ])('refuses %s', async (_name, sent, message) => {
    await expect(of({ validate: () => undefined }).validate?.(sent, context)).rejects.toThrow(message);
  });

  test('requires a name of three parts and at least one function or rule', () => {
    expect(() => of({ name: 'acme.dev', validate: () => undefined })).toThrow('needs three parts at least');
    expect(() => of({})).toThrow('it needs mutate, validate or rules');
    const hook = of({ validate: () => undefined });
    expect(() => admissionServer([hook, hook])).toThrow('two are at "/validate/maps.acme.dev"');
  });
});
