import { createPrivateKey, createPublicKey } from 'node:crypto';
import { expect, test } from 'vitest';
import { SeededRandom } from '../../base/index.ts';
import { issueCertificate, newPrivateKey, selfIssuer } from '../../wire/certificates/index.ts';
import { checkBundle, checkBundleUpdate } from './trust-bundle-rules.ts';

const KEY = createPrivateKey(newPrivateKey());

function certificate(usage: 'authority' | 'server'): string {
  const subject = { commonName: 'a' };
  const request = { subject, usage, notBefore: Date.UTC(2026), notAfter: Date.UTC(2027) };
  return issueCertificate(request, createPublicKey(KEY), {
    issuer: selfIssuer(subject, KEY),
    random: new SeededRandom(1),
  });
}

const bundle = (trustBundle: string): never => ({ metadata: { name: 'a' }, spec: { trustBundle } }) as never;
const problems = (text: string): readonly string[] => checkBundle(bundle(text)).map(({ detail }) => detail);

test('a bundle has certificates of authorities, each once', () => {
  const authority = certificate('authority');
  expect(problems(authority)).toEqual([]);
  expect(problems(`${authority}\n${certificate('server')}`)).toEqual(['entry 1 does not have the CA bit set']);
  expect(problems(`${authority}\n${authority}`)).toEqual(['duplicate trust anchor (indices [0 1])']);
  expect(problems(authority.replaceAll('CERTIFICATE', 'THING'))).toEqual(['entry 0 has bad block type: THING']);
  expect(problems(authority.replace('-----\n', '-----\nA: b\n\n'))).toEqual(['entry 0 has PEM block headers']);
});

test('anchors that an update keeps are not read again', () => {
  const old = bundle('once valid');
  expect(checkBundleUpdate(old, old)).toEqual([]);
  expect(checkBundleUpdate(bundle('another'), old)).toHaveLength(1);
});
