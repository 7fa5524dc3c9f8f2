import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { connect as connectTls } from 'node:tls';
import { test } from 'vitest';
import { RealClock, VirtualClock } from '../../base/index.ts';
import type { EncodedAnswer } from '../answers/answer.ts';
import type { Call } from '../request/call.ts';
import { testAuthority } from './testing/test-certificates.ts';
import { authority, over, startTransport, type TestTransport, text } from './testing/test-transport.ts';

const alice = authority.issueClient({ commonName: 'alice', organizations: ['admins', 'système'] });
const ALICE = {
  commonName: 'alice',
  organizations: ['admins', 'système'],
  sha256: new X509Certificate(alice.certificate).fingerprint256.replaceAll(':', '').toLowerCase(),
  endsMs: Date.parse(new X509Certificate(alice.certificate).validTo),
};

function startReporting(options: Parameters<typeof startTransport>[1] = {}): Promise<TestTransport> {
  return startTransport((call) => text(JSON.stringify(call.request.certificate ?? null)), options);
}

test('a client without a certificate is served, and its calls have none', async () => {
  await using server = await startReporting();
  assert.equal((await server.getHttp2()).body.toString(), 'null');
  assert.equal((await server.getHttp1()).body.toString(), 'null');
});

test('a certificate of our authority provides common name, organizations and digest', async () => {
  await using server = await startReporting();
  assert.deepEqual(JSON.parse((await server.getHttp2({ identity: alice })).body.toString()), ALICE);
  assert.deepEqual(JSON.parse((await server.getHttp1({ identity: alice })).body.toString()), ALICE);
});

test('requests of one connection share one certificate object', async () => {
  const seen = new Set<unknown>();
  await using server = await startTransport((call) => {
    seen.add(call.request.certificate);
    return text('x');
  });
  const session = server.http2(alice);
  await over(session);
  await over(session);
  assert.equal(seen.size, 1);
});

test('a certificate of another authority is not valid, but its client is served', async () => {
  await using server = await startReporting();
  const stranger = testAuthority('test authority').issueClient({ commonName: 'alice', organizations: ['admins'] });
  assert.equal((await server.getHttp2({ identity: stranger })).body.toString(), '"invalid"');
  assert.equal((await server.getHttp1({ identity: stranger })).body.toString(), '"invalid"');
});

test('a certificate that has expired is not valid', async () => {
  await using server = await startReporting();
  const past = { from: new Date('2020-01-01T00:00:00Z'), to: new Date('2021-01-01T00:00:00Z') };
  const identity = authority.issueClient({ commonName: 'alice' }, past);
  assert.equal((await server.getHttp2({ identity })).body.toString(), '"invalid"');
});

test('a certificate made for servers is not valid for a client', async () => {
  await using server = await startReporting();
  assert.equal((await server.getHttp2({ identity: authority.issueServer() })).body.toString(), '"invalid"');
});

test('a certificate without a common name counts as none', async () => {
  await using server = await startReporting();
  const identity = authority.issueClient({ commonName: '', organizations: ['admins'] });
  assert.equal((await server.getHttp2({ identity })).body.toString(), 'null');
});

test('a certificate that expires while its connection is open becomes invalid', async () => {
  const clock = new VirtualClock({ startMs: new RealClock().now() });
  await using server = await startReporting({ clock, limits: { idleTimeoutMs: 1e9 } });
  const hour = { from: new Date(clock.now() - 60_000), to: new Date(clock.now() + 3_600_000) };
  const session = server.http2(authority.issueClient({ commonName: 'alice' }, hour));
  assert.match((await over(session)).body.toString(), /alice/);
  await clock.advance('1h');
  assert.equal((await over(session)).body.toString(), '"invalid"');
});

test('without authorities for clients, the server does not request certificates', async () => {
  await using server = await startReporting({ clientAuthorities: undefined });
  assert.equal((await server.getHttp2({ identity: alice })).body.toString(), 'null');
});

test.each(['TLSv1.2', 'TLSv1.3'] as const)('a resumed session over %s still shows its certificate', async (version) => {
  await using server = await startReporting();
  const options = {
    ca: authority.certificate,
    servername: 'localhost',
    cert: alice.certificate,
    key: alice.key,
    ALPNProtocols: ['h2'],
    maxVersion: version,
    port: server.port,
    host: '127.0.0.1',
  };
  const first = connectTls(options);
  const [session] = (await once(first, 'session')) as [Buffer];
  first.destroy();
  const second = connectTls({ ...options, session });
  await once(second, 'secureConnect');
  assert.equal(second.isSessionReused(), true);
  const client = connectHttp2(server.transport.url, { createConnection: () => second });
  assert.deepEqual(JSON.parse((await over(client)).body.toString()), ALICE);
  client.destroy();
});

test.each([
  ['TLSv1.3', undefined],
  ['TLSv1.2', 'TLSv1.2'],
] as const)('%s is spoken', async (expected, maxVersion) => {
  await using server = await startReporting();
  const socket = await server.raw({ maxVersion });
  assert.equal(socket.getProtocol(), expected);
  socket.destroy();
});

test('TLS 1.1 is refused', async () => {
  await using server = await startReporting();
  await assert.rejects(server.raw({ minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' }));
  await server.observed.until(() => server.observed.events.includes('handshakeFailed'));
});

test('a certificate of the authority for front proxies authenticates a proxy, not a user of its name', async () => {
  const proxies = testAuthority('proxies');
  const tell = (call: Call): EncodedAnswer =>
    text(JSON.stringify([call.request.certificate ?? null, call.request.proxyCertificate?.commonName ?? null]));
  await using server = await startTransport(tell, { proxyAuthorities: proxies.certificate });
  const shown = async (identity?: typeof alice): Promise<unknown> =>
    JSON.parse((await server.getHttp2(identity === undefined ? {} : { identity })).body.toString()) as unknown;
  assert.deepEqual(await shown(), [null, null]);
  assert.deepEqual(await shown(alice), [ALICE, null]);
  assert.deepEqual(await shown(proxies.issueClient({ commonName: 'front' })), ['invalid', 'front']);
  assert.deepEqual(await shown(testAuthority('proxies').issueClient({ commonName: 'front' })), ['invalid', null]);
});
