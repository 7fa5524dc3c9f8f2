import assert from 'node:assert/strict';
import { createPrivateKey, createPublicKey } from 'node:crypto';
import { once } from 'node:events';
import { get, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { connect as connectTls, type ConnectionOptions, type TLSSocket } from 'node:tls';
import { expect, test } from 'vitest';
import { CryptoRandom, RealClock, VirtualClock } from '../../base/index.ts';
import { portIsClosed } from '../../base/testing/closed-port.ts';
import { issueCertificate, newPrivateKey, selfIssuer } from '../certificates/index.ts';
import { Listener, type ServingCertificate, TlsListener, type TlsListenerOptions } from './index.ts';

const clock = new RealClock();
const LIMITS = { maxConnections: 8, headersTimeoutMs: 10_000, handshakeTimeoutMs: 10_000 };

/** A self-signed certificate. */
function certificateFor(commonName: string, usage: 'server' | 'client' = 'server'): ServingCertificate {
  const key = newPrivateKey();
  const privateKey = createPrivateKey(key);
  const subject = { commonName };
  const validity = { notBefore: clock.now() - 60_000, notAfter: clock.now() + 60_000 };
  const request = { subject, usage, names: ['localhost', '127.0.0.1'], ...validity };
  const issuer = { issuer: selfIssuer(subject, privateKey), random: new CryptoRandom() };
  return { certificate: issueCertificate(request, createPublicKey(privateKey), issuer), key };
}

const first = certificateFor('first');

interface Opened extends AsyncDisposable {
  readonly listener: TlsListener;
  readonly port: number;
}

async function open(options: Partial<TlsListenerOptions> = {}): Promise<Opened> {
  const listener = new TlsListener({
    clock,
    serving: first,
    limits: LIMITS,
    http1: { request: (_, response) => void response.end('ok') },
    ...options,
  });
  const { port } = await listener.open('127.0.0.1', 0);
  return { listener, port, [Symbol.asyncDispose]: () => listener.end() };
}

async function tls(port: number, options: ConnectionOptions = {}): Promise<TLSSocket> {
  const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false, ...options });
  await once(socket, 'secureConnect');
  socket.on('error', () => undefined);
  return socket;
}

async function silent(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  await once(socket, 'connect');
  return socket.resume();
}

async function ask(socket: Socket): Promise<string> {
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  return String((await once(socket, 'data'))[0]);
}

async function used(port: number): Promise<TLSSocket> {
  const socket = await tls(port);
  assert.match(await ask(socket), /200 OK/);
  return socket;
}

test.each([
  ['nothing', ''],
  ['half a greeting', '160301020001'],
])('a client that sends %s is disconnected after the handshake timeout', async (_, hex) => {
  await using opened = await open({ limits: { ...LIMITS, handshakeTimeoutMs: 100 } });
  const socket = await silent(opened.port);
  socket.write(Buffer.from(hex, 'hex'));
  await once(socket, 'close');
});

test('bytes that are not TLS close the connection, and the next client is served', async () => {
  await using opened = await open();
  const socket = await silent(opened.port);
  socket.write(Buffer.alloc(1000, 0x80));
  await once(socket, 'close');
  await used(opened.port);
});

test('a connection that sends no request is closed after the headers timeout', async () => {
  await using opened = await open({ limits: { ...LIMITS, headersTimeoutMs: 100 } });
  await once((await tls(opened.port)).resume(), 'close');
});

test('above the limit silent connections are closed for new ones, those before TLS first', async () => {
  await using opened = await open();
  const quiet = await tls(opened.port);
  const before = await Promise.all(Array.from({ length: 7 }, () => silent(opened.port)));
  const closed = before.map((socket) => once(socket, 'close'));
  for (let count = 0; count < 7; count++) await used(opened.port);
  await Promise.all(closed);
  expect(quiet.destroyed).toBe(false);
  const gone = once(quiet.resume(), 'close');
  await used(opened.port);
  await gone;
});

test('a connection in use is never closed for another, which is refused', async () => {
  await using opened = await open();
  const inUse = await Promise.all(Array.from({ length: 8 }, () => used(opened.port)));
  await assert.rejects(tls(opened.port));
  for (const socket of inUse) assert.match(await ask(socket), /200 OK/);
  inUse[0]?.destroy();
  await expect
    .poll(() =>
      used(opened.port).then(
        () => true,
        () => false,
      ),
    )
    .toBe(true);
});

test('a connection whose requests have all been answered is closed for another where that is asked for', async () => {
  const waiting: ServerResponse[] = [];
  const request = (message: IncomingMessage, response: ServerResponse): void =>
    void (message.url === '/slow' ? waiting.push(response) : response.end('ok'));
  await using opened = await open({ limits: { ...LIMITS, replacesIdle: true }, http1: { request } });
  const [oldest, busy] = [await used(opened.port), await used(opened.port)];
  busy.write('GET /slow HTTP/1.1\r\nhost: x\r\n\r\n');
  await expect.poll(() => waiting.length).toBe(1);
  for (let count = 0; count < 6; count++) await used(opened.port);
  const gone = once(oldest.resume(), 'close');
  for (let count = 0; count < 8; count++) await used(opened.port);
  await gone;
  const answered = once(busy, 'data');
  waiting[0]?.end('at last');
  expect(String((await answered)[0])).toContain('at last');
});

test('one address cannot take more than its share of the connections', async () => {
  await using opened = await open({ limits: { ...LIMITS, maxConnectionsPerAddress: 2 } });
  const inUse = [await used(opened.port), await used(opened.port)];
  await assert.rejects(tls(opened.port));
  const other = await tls(opened.port, { localAddress: '127.0.0.2' } as ConnectionOptions);
  assert.match(await ask(other), /200 OK/);
  expect(inUse.some(({ destroyed }) => destroyed)).toBe(false);
});

test('connections continue while the certificate is replaced many times', async () => {
  await using opened = await open();
  const old = await used(opened.port);
  for (let count = 0; count < 20; count++) {
    const serving = certificateFor(`number ${count}`);
    const answering = ask(old);
    opened.listener.renew({ serving });
    const socket = await tls(opened.port);
    assert.equal(socket.getPeerCertificate().subject.CN, `number ${count}`);
    assert.match(await ask(socket), /200 OK/);
    assert.match(await answering, /200 OK/);
    socket.destroy();
  }
  assert.equal(old.getPeerCertificate().subject.CN, 'first');
});

test('client certificates can be required, and their authorities replaced', async () => {
  const before = certificateFor('before', 'client');
  const after = certificateFor('after', 'client');
  const showing = ({ certificate, key }: ServingCertificate): ConnectionOptions => ({ cert: certificate, key });
  const asked = async (port: number, options: ConnectionOptions): Promise<string> => ask(await tls(port, options));
  await using opened = await open({ clientCertificates: 'required', clientAuthorities: before.certificate });
  assert.match(await asked(opened.port, showing(before)), /200 OK/);
  await assert.rejects(Promise.race([asked(opened.port, showing(after)), refused(opened.port, showing(after))]));
  opened.listener.renew({ serving: first, clientAuthorities: after.certificate });
  assert.match(await asked(opened.port, showing(after)), /200 OK/);
});

/** Rejects when the server ends a connection after the handshake, which is how TLS 1.3 reports a rejected certificate. */
async function refused(port: number, options: ConnectionOptions): Promise<never> {
  const socket = await tls(port, options);
  await once(socket.resume(), 'close');
  throw new Error('refused');
}

test('the client selects the protocol', async () => {
  const chosen: unknown[] = [];
  const take = (socket: TLSSocket): 'taken' => {
    chosen.push(socket.alpnProtocol);
    socket.end();
    return 'taken';
  };
  await using opened = await open({ http2: take, onHttp1: take });
  for (const protocol of ['h2', 'http/1.1'])
    await once((await tls(opened.port, { ALPNProtocols: [protocol] })).resume(), 'end');
  assert.deepEqual(chosen, ['h2', 'http/1.1']);
});

test('end() accepts nothing, lets the request in flight finish, and cuts what takes longer', async () => {
  const answers: (() => void)[] = [];
  const virtual = new VirtualClock();
  const opened = await open({
    clock: virtual,
    http1: { request: (_, response) => void answers.push(() => response.end('late')) },
  });
  const [finishing, hanging] = [await tls(opened.port), await tls(opened.port)];
  const answer = ask(finishing);
  hanging.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  await expect.poll(() => answers.length).toBe(2);
  const cut: string[] = [];
  const closed = once(hanging.resume(), 'close');
  const ending = opened.listener.end({ graceMs: 300, cut: () => cut.push('cut') });
  await portIsClosed(opened.port);
  answers[0]?.();
  assert.match(await answer, /late/);
  await virtual.advance(299);
  expect(cut).toEqual([]);
  await virtual.advance(1);
  await ending;
  await closed;
  expect(cut).toEqual(['cut']);
});

test('end() resolves as soon as the requests in flight are done', async () => {
  const opened = await open();
  const socket = await used(opened.port);
  const closed = once(socket.resume(), 'close');
  await opened.listener.end({ graceMs: 60_000, drain: () => Promise.resolve() });
  await closed;
});

test('plain HTTP has the same limits and the same shutdown', async () => {
  const listener = new Listener({
    limits: { ...LIMITS, maxConnections: 2, headersTimeoutMs: 100 },
    http1: { request: (_, response) => void response.end('ok') },
  });
  const { port } = await listener.open('127.0.0.1', 0);
  const waiting = [await silent(port), await silent(port)];
  await Promise.all(waiting.map((socket) => once(socket, 'close')));
  const [response] = (await once(get({ port, host: '127.0.0.1' }), 'response')) as [IncomingMessage];
  expect(response.statusCode).toBe(200);
  await listener.end();
});
