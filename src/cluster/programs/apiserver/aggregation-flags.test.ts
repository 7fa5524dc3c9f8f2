import { createPrivateKey, createPublicKey } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CryptoRandom } from '../../../base/index.ts';
import { issueCertificate, newPrivateKey, selfIssuer } from '../../../wire/certificates/index.ts';
import { Flags } from '../../../cli/flags.ts';
import { aggregationFlags, aggregationSettings } from './aggregation-flags.ts';

function settings(...args: string[]): ReturnType<typeof aggregationSettings> {
  return aggregationSettings(new Flags(args, aggregationFlags));
}

test('servers are reached wherever they can be, unless a flag says how', () => {
  expect(settings()).toEqual({ forwardsRedirects: false });
  expect(settings('--enable-aggregator-routing')).toMatchObject({ routing: 'endpoints' });
  expect(settings('--enable-aggregator-routing=false')).toMatchObject({ routing: 'cluster-ip' });
  expect(settings('--aggregator-reject-forwarding-redirect=false')).toMatchObject({ forwardsRedirects: true });
});

test('the certificate that is shown to servers comes with its key', () => {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-flags-'));
  const privateKey = newPrivateKey();
  const subject = { commonName: 'front-proxy-client' };
  const request = { subject, usage: 'client', notBefore: Date.UTC(2020), notAfter: Date.UTC(2049) } as const;
  const issuer = selfIssuer(subject, createPrivateKey(privateKey));
  const pem = issueCertificate(request, createPublicKey(privateKey), { issuer, random: new CryptoRandom() });
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const certificate = `--proxy-client-cert-file=${file('a.crt', pem)}`;
  const key = (text: string): string => `--proxy-client-key-file=${file('a.key', text)}`;

  expect(settings(certificate, key(privateKey))).toMatchObject({ proxyClient: { certificate: pem, privateKey } });
  expect(() => settings(certificate)).toThrow('go together');
  expect(() => settings(certificate, key(newPrivateKey()))).toThrow('is not the key of');
  expect(() => settings(certificate, key('nothing'))).toThrow('no PEM that can be read');
});
