import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { discardLogger, RealClock, SeededRandom } from '../base/index.ts';
import type { ControlPlane } from './control-plane.ts';
import type { ServingOptions } from './serving.ts';
import { startControlPlane } from './start-control-plane.ts';

function start(serving: ServingOptions): Promise<ControlPlane> {
  return startControlPlane({
    name: 'test',
    storage: { type: 'memory' },
    runtimeConfig: new Map(),
    serviceCidrs: ['10.96.0.0/16'],
    serving,
    clock: new RealClock(),
    random: new SeededRandom('names'),
    log: discardLogger,
    signal: new AbortController().signal,
  });
}

/** The certificate that a client is shown, after the client has verified it for this name. */
async function verifiedAs(plane: ControlPlane, name: string): Promise<X509Certificate> {
  const { address: host, port } = plane.address;
  const ca = plane.access.certificateAuthority;
  const socket = connect({ host, port, ca, checkServerIdentity: () => undefined });
  await once(socket, 'secureConnect');
  const shown = new X509Certificate(socket.getPeerCertificate().raw);
  socket.destroy();
  expect([name, shown.checkHost(name) ?? shown.checkIP(name)]).toEqual([name, name]);
  return shown;
}

async function answer(plane: ControlPlane, path: string): Promise<Record<string, unknown>> {
  const client = plane.client({ user: 'admin', groups: ['system:masters'] });
  return (await client.request({ method: 'GET', path })) as Record<string, unknown>;
}

test('the serving certificate has every address that clients are given, and is made again when one changes', async () => {
  const pkiFolder = await mkdtemp(join(tmpdir(), 'keelson-names-'));
  onTestFinished(() => rm(pkiFolder, { recursive: true }));
  const listen = { host: '0.0.0.0', port: 0 };
  let first: X509Certificate;
  {
    await using plane = await start({ listen, pkiFolder, advertiseAddress: '192.0.2.7' });
    first = await verifiedAs(plane, '192.0.2.7');
    for (const name of ['10.96.0.1', '127.0.0.1', 'kubernetes.default.svc']) await verifiedAs(plane, name);
    const { jwks_uri: keysUrl } = await answer(plane, '/.well-known/openid-configuration');
    expect(keysUrl).toBe(`https://192.0.2.7:${plane.address.port}/openid/v1/jwks`);
  }
  const advertiseAddress = '2001:db8::7';
  await using plane = await start({ listen, pkiFolder, advertiseAddress, externalHost: 'api.example.com:443' });
  const second = await verifiedAs(plane, 'api.example.com');
  expect(second.checkIP(advertiseAddress)).toBeDefined();
  expect(second.publicKey.equals(first.publicKey)).toBe(true);
  expect(await answer(plane, '/.well-known/openid-configuration')).toMatchObject({
    jwks_uri: 'https://api.example.com:443/openid/v1/jwks',
  });
  expect(await answer(plane, '/api')).toMatchObject({
    serverAddressByClientCIDRs: [{ serverAddress: 'api.example.com:443' }],
  });
});

test('a server that is given its address only when it listens has that address in its certificate', async () => {
  await using plane = await start({ names: ['extra.example.com'] });
  await plane.listen({ host: '127.0.0.2', port: 0 });
  await verifiedAs(plane, '127.0.0.2');
  await verifiedAs(plane, 'extra.example.com');
});
