import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { expect, test } from 'vitest';
import type { PodCertificateRequestSpec } from '../../api/types/certificates/v1beta1.d.ts';
import { SeededRandom } from '../../base/index.ts';
import { issueCertificate, newPrivateKey, newSigningRequest, selfIssuer } from '../../wire/certificates/index.ts';
import { TestApi } from '../testing/test-api.ts';
import { checkPodCertificateRequest } from './pod-certificate-rules.ts';
import { checkPodCertificateStatus } from './pod-certificate-status-rules.ts';

const HOUR_MS = 3_600_000;
const NOW = Date.UTC(2026, 4, 1, 10);
const KEY = createPrivateKey(newPrivateKey());
const POD = { podName: 'p', podUID: 'u', serviceAccountName: 's', serviceAccountUID: 'v', nodeName: 'n', nodeUID: 'w' };

function bytesOf(pem: string): string {
  return pem.replaceAll(/-----[^-]*-----|\s/g, '');
}

function stub(privateKey: KeyObject, signer?: KeyObject): string {
  return bytesOf(
    newSigningRequest({ subject: { commonName: '' }, privateKey, ...(signer === undefined ? {} : { signer }) }),
  );
}

const request = (spec: Partial<PodCertificateRequestSpec>): never =>
  ({
    apiVersion: 'certificates.k8s.io/v1beta1',
    kind: 'PodCertificateRequest',
    metadata: { name: 'a' },
    spec: { signerName: 'example.com/signer', ...POD, maxExpirationSeconds: 7200, ...spec },
  }) as never;

function problems(spec: Partial<PodCertificateRequestSpec>): readonly string[] {
  return checkPodCertificateRequest(request(spec)).map(({ field, value, detail }) =>
    [field, ...(value === undefined ? [] : [String(value)]), detail].join(': '),
  );
}

test('a request carries its key in a request for certificates that is signed with it', () => {
  expect(problems({ stubPKCS10Request: stub(KEY) })).toEqual([]);
  const other = createPrivateKey(newPrivateKey());
  expect(problems({ stubPKCS10Request: stub(KEY, other) })).toEqual(['spec.stubPKCS10Request: invalid signature']);
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'secp224r1' });
  expect(problems({ stubPKCS10Request: stub(privateKey) })).toEqual([
    'spec.stubPKCS10Request: curve P-224: elliptic public keys must use curve P256, P384, or P521',
  ]);
});

test.each<[string, KeyObject, (uid: string, key: KeyObject) => Buffer]>([
  ['Ed25519', generateKeyPairSync('ed25519').privateKey, (uid, key) => sign(null, Buffer.from(uid), key)],
  ['ECDSA', KEY, (uid, key) => sign('sha256', Buffer.from(uid), { key, dsaEncoding: 'der' })],
])('a key of %s comes with a signature of the pod, too', (_, key, prove) => {
  const pkixPublicKey = createPublicKey(key).export({ type: 'spki', format: 'der' }).toString('base64');
  const proofOf = (uid: string): string => prove(uid, key).toString('base64');
  expect(problems({ pkixPublicKey, proofOfPossession: proofOf('u') })).toEqual([]);
  expect(problems({ pkixPublicKey, proofOfPossession: proofOf('x') })).toEqual([
    'spec.proofOfPossession: could not verify proof-of-possession signature',
  ]);
});

test('short RSA keys are refused by their size', () => {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
  const pkixPublicKey = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
  expect(problems({ pkixPublicKey, proofOfPossession: 'eA==' })).toEqual([
    'spec.pkixPublicKey: 1024-bit modulus: RSA keys must have modulus size 3072 or 4096',
  ]);
});

interface Times {
  readonly from?: number;
  readonly hours?: number;
  readonly refreshMs?: number;
  readonly key?: KeyObject;
}

/** A status with a certificate for the key, from now on. */
function issued({ from = NOW, hours = 2, refreshMs = HOUR_MS, key = KEY }: Times): object {
  const subject = { commonName: 'p' };
  const notAfter = from + hours * HOUR_MS;
  const certificateChain = issueCertificate(
    { subject, usage: 'client', notBefore: from, notAfter },
    createPublicKey(key),
    { issuer: selfIssuer(subject, KEY), random: new SeededRandom(1) },
  );
  const time = (ms: number): string => new Date(ms).toISOString().replace('.000', '');
  const lastTransitionTime = time(from);
  return {
    conditions: [{ type: 'Issued', status: 'True', reason: 'R', message: '', lastTransitionTime }],
    certificateChain,
    notBefore: time(from),
    notAfter: time(notAfter),
    beginRefreshAt: time(from + refreshMs),
  };
}

function statusProblems(status: object): readonly string[] {
  const old = { ...(request({ stubPKCS10Request: stub(KEY) }) as object), status: {} };
  const errors = checkPodCertificateStatus({ ...old, status } as never, old as never, { now: NOW });
  return errors.map(({ field, detail }) => `${field}: ${detail}`);
}

test('the certificate of an issued request is for its key, begins now, and lasts as long as allowed', () => {
  expect(statusProblems(issued({}))).toEqual([]);
  expect(statusProblems(issued({ key: createPrivateKey(newPrivateKey()) }))).toEqual([
    'status.certificateChain: leaf certificate was not issued to the requested public key',
  ]);
  expect(statusProblems(issued({ from: NOW - HOUR_MS }))).toEqual([
    "status.notBefore: must be set to within 5 minutes of kube-apiserver's current time",
  ]);
  expect(statusProblems(issued({ hours: 3 }))).toEqual([
    'status.certificateChain: leaf certificate lifetime must be <= spec.maxExpirationSeconds (7200)',
  ]);
  expect(statusProblems(issued({ hours: 0.5 }))).toEqual([
    'status.certificateChain: leaf certificate lifetime must be >= 1 hour',
  ]);
  expect(statusProblems(issued({ refreshMs: 60_000 }))).toEqual([
    'status.beginRefreshAt: must be at least 10 minutes after status.notBefore',
  ]);
  expect(statusProblems({ ...issued({}), notAfter: '2026-05-01T11:59:59Z' })).toEqual([
    'status.notAfter: must be set to the NotAfter time encoded in the leaf certificate',
  ]);
});

test('what is wrong with the certificates behind the first is said last', () => {
  const good = issued({}) as { certificateChain: string };
  const withMore = (more: string): object => ({ ...good, certificateChain: `${good.certificateChain}\n${more}` });
  expect(statusProblems(withMore('-----BEGIN CERTIFICATE-----\neA==\n-----END CERTIFICATE-----\n'))).toEqual([
    'status.certificateChain: intermediate certificate does not parse as valid X.509',
  ]);
});

test('a status is written with the permission to sign', async () => {
  const asked: string[] = [];
  await using api = await TestApi.open({
    accessReviewer: {
      authorizer: {
        authorize: async ({ info }) => {
          asked.push(`${info.verb} ${info.resource} ${info.name}`);
          return { verdict: 'noOpinion', reason: '' };
        },
      },
    },
  });
  const { body } = await api.create(request({ stubPKCS10Request: stub(KEY) }));
  const status = {
    conditions: [
      { type: 'Denied', status: 'True', reason: 'R', message: '', lastTransitionTime: '2026-05-01T10:00:00Z' },
    ],
  };
  const path = '/apis/certificates.k8s.io/v1beta1/namespaces/kinds/podcertificaterequests/a/status';
  const refused = await api.send('PUT', path, { ...body, status });
  expect(refused.code).toBe(422);
  expect(refused.body['message']).toContain('is not permitted to "sign" for signer "example.com/signer"');
  expect(asked).toEqual(['sign signers example.com/signer', 'sign signers example.com/*']);
});
