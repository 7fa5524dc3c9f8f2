import { X509Certificate } from 'node:crypto';
import { expect, test } from 'vitest';
import { CryptoRandom, VirtualClock } from '../../base/index.ts';
import type { Client } from '../../client/index.ts';
import { WebhookAuthority } from '../webhooks/serving-certificate.ts';
import type { ApiCall } from './api-call.ts';
import { DelegatedAuthentication } from './delegated-authentication.ts';

const clock = new VirtualClock({ startMs: Date.UTC(2026, 5) });
const random = new CryptoRandom();
const proxies = new WebhookAuthority({ clock, random });
const clients = new WebhookAuthority({ clock, random });

const REMOTE = {
  'x-remote-user': ['J\u00c3\u00b6rg'],
  'x-remote-group': ['shop', 'toys'],
  'x-remote-extra-acme.dev%2Ftenant': ['t1'],
};

function callWith(headers: Readonly<Record<string, readonly string[]>>, certificate?: X509Certificate): ApiCall {
  return {
    method: 'GET',
    target: '/',
    header: (name) => headers[name]?.[0],
    headers: (name) => headers[name] ?? [],
    headerNames: Object.keys(headers),
    body: async () => new Uint8Array(),
    ...(certificate === undefined ? {} : { certificate }),
    signal: new AbortController().signal,
  };
}

function authentication(allowedNames = '["front-proxy-client"]'): DelegatedAuthentication {
  const made = new DelegatedAuthentication({} as Client, clock);
  made.trust({
    data: {
      'client-ca-file': clients.certificate,
      'requestheader-client-ca-file': proxies.certificate,
      'requestheader-allowed-names': allowedNames,
    },
  });
  return made;
}

function shown(authority: WebhookAuthority, name: string): X509Certificate {
  return new X509Certificate(authority.issueClient(name).certificate);
}

test('takes the user from the headers of a front proxy', async () => {
  const user = await authentication().identify(callWith(REMOTE, shown(proxies, 'front-proxy-client')));
  expect(user).toEqual({
    name: 'J\u00f6rg',
    groups: ['shop', 'toys', 'system:authenticated'],
    extra: { 'acme.dev/tenant': ['t1'] },
  });
});

test.each([
  ['without a certificate', undefined],
  ['of another name', shown(proxies, 'unknown')],
  ['of an unknown authority', shown(new WebhookAuthority({ clock, random }), 'front-proxy-client')],
])('ignores the headers of a proxy with a certificate %s', async (_what, certificate) => {
  const user = await authentication().identify(callWith(REMOTE, certificate));
  expect(user.name).toBe('system:anonymous');
});

test('identifies a client of the cluster by its certificate, whatever its headers say', async () => {
  const user = await authentication('[]').identify(callWith(REMOTE, shown(clients, 'joe')));
  expect(user).toEqual({ name: 'joe', groups: ['system:authenticated'] });
});

test('certificates are accepted until they expire', async () => {
  const certificate = shown(proxies, 'front-proxy-client');
  const later = new VirtualClock({ startMs: clock.now() + 91 * 24 * 3600 * 1000 });
  const made = new DelegatedAuthentication({} as Client, later);
  made.trust({ data: { 'requestheader-client-ca-file': proxies.certificate } });
  expect((await made.identify(callWith(REMOTE, certificate))).name).toBe('system:anonymous');
});
