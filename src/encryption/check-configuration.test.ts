import { expect, test } from 'vitest';
import { fieldErrorText } from '../api/index.ts';
import { checkConfiguration } from './check-configuration.ts';
import { readEncryptionConfiguration } from './encryption-configuration.ts';

const HEAD = 'apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\n';
const KEY = Buffer.alloc(32, 1).toString('base64');

function problemsOf(text: string): readonly string[] {
  return checkConfiguration(readEncryptionConfiguration(HEAD + text)).map(fieldErrorText);
}

const entry = (resources: string, providers: string): string =>
  `resources: [{ resources: [${resources}], providers: [${providers}] }]`;

test.each([
  ['resources: []', ['resources: Required value: at least one resources is required']],
  [
    entry('', ''),
    [
      'resources[0].resources: Required value: at least one resources[0].resources is required',
      'resources[0].providers: Required value: at least one resources[0].providers is required',
    ],
  ],
  [
    entry('secrets, secrets', '{ identity: {} }'),
    [
      'resources[0].resources: Invalid value: ["secrets","secrets"]: the same resource cannot be specified multiple times',
    ],
  ],
  [
    entry('secrets, "*."', '{ identity: {} }'),
    [
      `resources[0].resources: Invalid value: ["secrets","*."]: using overlapping resources such as 'secrets' and '*.' in the same resource list is not allowed as they will be masked`,
    ],
  ],
  [
    entry('"*"', '{ identity: {} }'),
    [
      `resources[0].resources[0]: Invalid value: "*": use '*.' to encrypt all the resources from core API group or *.* to encrypt all resources`,
    ],
  ],
  [
    entry('Pods, a.*', '{ identity: {} }'),
    [
      'resources[0].resources[0]: Invalid value: "Pods": resource name should not contain capital letters',
      'resources[0].resources[1]: Invalid value: "a.*": encrypting the same resource across groups is not supported',
    ],
  ],
  [
    entry(
      'secrets',
      '{ aesgcm: {} }, { aescbc: { keys: [{}] } }, { secretbox: { keys: [{ name: a, secret: "!!" }] } }',
    ),
    [
      'resources[0].providers[0].aesgcm.keys: Required value: at least one keys is required',
      'resources[0].providers[1].aescbc.keys[0].name: Required value: name is a mandatory field for a key',
      'resources[0].providers[1].aescbc.keys[0].secret: Required value: secret is a mandatory field for a key',
      'resources[0].providers[2].secretbox.keys[0].secret: Invalid value: "REDACTED": secrets must be base64 encoded',
    ],
  ],
  [
    entry('secrets', '{ secretbox: { keys: [{ name: a, secret: eA== }] } }'),
    [
      'resources[0].providers[0].secretbox.keys[0].secret: Invalid value: "REDACTED": secret is not of the expected length, got 1, expected one of [32]',
    ],
  ],
  [
    entry('secrets', '{ kms: { apiVersion: v2, name: "a:b", endpoint: "http://x", timeout: -1s, cachesize: 5 } }'),
    [
      `resources[0].providers[0].kms.name: Invalid value: "a:b": invalid KMS provider name a:b, must not contain ':'`,
      'resources[0].providers[0].kms.timeout: Invalid value: "-1s": timeout should be a positive value',
      'resources[0].providers[0].kms.endpoint: Invalid value: "http://x": unsupported scheme "http" for KMS provider, only unix is supported',
      'resources[0].providers[0].kms.cachesize: Invalid value: 5: cachesize is not supported in v2',
    ],
  ],
])('%s is refused in the words of kube-apiserver', (text, problems) => {
  expect(problemsOf(text)).toEqual(problems);
});

test('no error message quotes a secret', () => {
  const both = `{ aesgcm: { keys: [{ name: a, secret: "${KEY}" }] }, identity: {} }`;
  expect(problemsOf(entry('secrets', both)).join()).toContain('more than one provider specified in a single element');
  expect(problemsOf(entry('secrets', both)).join()).not.toContain(KEY);
  const json = (secret: string): string =>
    `{"apiVersion":"apiserver.config.k8s.io/v1","kind":"EncryptionConfiguration","resources":[{"providers":[${secret}]}]}`;
  for (const broken of [
    `${HEAD}resources: [{ "${KEY}`,
    `${HEAD}resources: [{ providers: [{ aesgcm: "${KEY}" }] }]`,
    `${HEAD}resources: [{ providers: [{ aesgcm: { keys: [{ secret: "${KEY}", secret: "${KEY}" }] } }] }]`,
    entry('secrets', both),
    `kind: EncryptionConfiguration\n${entry('secrets', both)}`,
    json(`{"aesgcm":"${KEY}"}`),
    json(`{"aesgcm":"${KEY}`),
  ]) {
    let message = '';
    try {
      readEncryptionConfiguration(broken);
    } catch (error) {
      message = String(error);
    }
    expect(message).not.toBe('');
    expect(message).not.toContain(KEY);
  }
});

test('a null provider counts as absent, and a null entry of a list as empty', () => {
  expect(problemsOf(entry('secrets', '{ aesgcm: null, identity: {} }'))).toEqual([]);
  expect(problemsOf(entry('secrets', 'null')).join()).toContain(
    'provider does not contain any of the expected providers',
  );
});

test('a file without a kind or a version is rejected', () => {
  expect(() => readEncryptionConfiguration('resources: []')).toThrow(/^Object 'Kind' is missing$/);
  expect(() => readEncryptionConfiguration('kind: EncryptionConfiguration')).toThrow(
    /^Object 'apiVersion' is missing$/,
  );
});

test('values of a wrong type are rejected in the words of kube-apiserver', () => {
  expect(() => problemsOf(entry('secrets', '{ kms: { timeout: soon } }'))).toThrow('time: invalid duration "soon"');
  expect(() => problemsOf(entry('secrets', '{ kms: { cachesize: many } }'))).toThrow('cannot unmarshal string into Go');
});

test('unknown fields are rejected', () => {
  expect(() => problemsOf('resources: [{ provider: [] }]')).toThrow(
    'strict decoding error: unknown field "resources[0].provider"',
  );
});
