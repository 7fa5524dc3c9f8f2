import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { CryptoRandom, discardLogger, LineLogger, RealClock, VirtualClock } from '../../base/index.ts';
import { startControlPlane } from '../start-control-plane.ts';

const DAY_MS = 86_400_000;

/** Shakes hands as the administrator; answers with what the server showed. */
async function handshake(plane: Awaited<ReturnType<typeof startControlPlane>>): Promise<string> {
  const { port } = new URL(plane.url);
  const { authority, admin } = plane.pki;
  const socket = connect({
    port: Number(port),
    host: '127.0.0.1',
    ca: authority.certificate,
    cert: admin.certificate,
    key: admin.privateKey,
    ALPNProtocols: ['http/1.1'],
  });
  await once(socket, 'secureConnect');
  const shown = socket.getPeerX509Certificate()?.toString() ?? '';
  socket.write('GET /api/v1/nodes HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
  let answer = '';
  for await (const chunk of socket) answer += String(chunk);
  expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  return shown;
}

test('a server that cannot lock the store makes no keys', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'keelson-locked-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const options = {
    name: 'test',
    storage: { type: 'durable', folder: join(folder, 'store') },
    runtimeConfig: new Map(),
    serviceCidrs: ['10.96.0.0/16'],
    clock: new RealClock(),
    random: new CryptoRandom(),
    log: discardLogger,
    signal: new AbortController().signal,
  } as const;
  await using _first = await startControlPlane(options);

  await expect(startControlPlane({ ...options, serving: { pkiFolder: join(folder, 'pki') } })).rejects.toThrow(
    /has it open/,
  );
  expect(await readdir(folder)).toEqual(['store']);
});

describe('a server that runs for a year', () => {
  test('renews its leaves and shows the new one, without a restart', async () => {
    const pkiFolder = await mkdtemp(join(tmpdir(), 'keelson-renewal-'));
    onTestFinished(() => rm(pkiFolder, { recursive: true }));
    const lines: string[] = [];
    const startDaysAgo = async (days: number) => {
      const certificateClock = new VirtualClock({ startMs: new RealClock().now() - days * DAY_MS });
      const plane = await startControlPlane({
        name: 'test',
        storage: { type: 'memory' },
        serving: { pkiFolder, listen: { host: '127.0.0.1', port: 0 } },
        runtimeConfig: new Map(),
        serviceCidrs: ['10.96.0.0/16'],
        clock: new RealClock(),
        certificateClock,
        random: new CryptoRandom(),
        log: new LineLogger({ clock: certificateClock, write: (line) => lines.push(line) }),
        signal: new AbortController().signal,
      });
      return { plane, certificateClock };
    };
    const first = await startDaysAgo(336);
    await first.plane[Symbol.asyncDispose]();
    const { plane, certificateClock } = await startDaysAgo(2);
    onTestFinished(() => plane[Symbol.asyncDispose]());
    const { authority, serving, admin } = plane.pki;
    const before = await handshake(plane);
    await certificateClock.advance('48h');
    await vi.waitFor(() => expect(plane.pki.admin.certificate).not.toBe(admin.certificate), 120_000);

    expect(before).toBe(serving.certificate);
    expect(serving).toEqual(first.plane.pki.serving);
    expect(plane.pki.authority).toEqual(authority);
    expect(plane.access.client).toEqual(plane.pki.admin);
    const after = await handshake(plane);
    expect(after).toBe(plane.pki.serving.certificate);
    expect(after).not.toBe(before);
    expect(lines.filter((line) => line.includes('certificate renewed'))).toHaveLength(3);
  });
});
