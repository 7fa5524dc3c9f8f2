import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { expect, onTestFinished, test, vi } from 'vitest';
import { CryptoRandom, LineLogger, RealClock, VirtualClock } from '../../base/index.ts';
import { startControlPlane } from '../start-control-plane.ts';
import { followCertificateFiles } from './certificate-files.ts';
import { clusterPki, type ClusterPki } from './cluster-pki.ts';

/** Keys and certificates that another program has made. */
function newPki(): Promise<ClusterPki> {
  return clusterPki({
    clock: new RealClock(),
    random: new CryptoRandom(),
    servingNames: ['localhost'],
    folder: undefined,
  });
}

test('certificates and authorities that are replaced are in use without a restart, once they fit together', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'keelson-certificate-files-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const [old, fresh] = [await newPki(), await newPki()];
  const files = {
    serving: { certificate: join(folder, 'tls.crt'), privateKey: join(folder, 'tls.key') },
    clientAuthorities: join(folder, 'ca.crt'),
  };
  await writeFile(files.serving.certificate, old.serving.certificate);
  await writeFile(files.serving.privateKey, old.serving.privateKey);
  await writeFile(files.clientAuthorities, old.authority.certificate);
  const clock = new VirtualClock();
  const lines: string[] = [];
  await using plane = await startControlPlane({
    name: 'test',
    storage: { type: 'memory' },
    runtimeConfig: new Map(),
    serviceCidrs: ['10.96.0.0/16'],
    serving: { listen: { host: '127.0.0.1', port: 0 }, credential: old.serving, certificateFiles: files },
    access: { clientAuthorities: old.authority.certificate },
    clock,
    certificateClock: new RealClock(),
    random: new CryptoRandom(),
    log: new LineLogger({ clock, level: 'info', write: (line) => lines.push(line) }),
    signal: new AbortController().signal,
  });
  const logged = async (what: RegExp): Promise<void> => {
    await clock.advance('5s');
    await vi.waitFor(() => expect(lines.join('')).toMatch(what), 120_000);
    lines.length = 0;
  };
  expect(await handshake(plane.url, old)).toEqual([true, 200]);

  await writeFile(files.serving.certificate, fresh.serving.certificate);
  await logged(/cannot be used.*the private key is not that of the certificate/);
  expect(await handshake(plane.url, old)).toEqual([true, 200]);
  await writeFile(files.serving.privateKey, fresh.serving.privateKey);
  await logged(/certificates reloaded/);
  expect(await handshake(plane.url, old)).toEqual([false, 200]);

  await writeFile(files.clientAuthorities, 'nonsense');
  await logged(/cannot be used.*there is no certificate/);
  await writeFile(files.clientAuthorities, fresh.authority.certificate);
  await logged(/certificates reloaded/);
  expect(await handshake(plane.url, old)).toEqual([false, 401]);
  expect(await handshake(plane.url, fresh)).toEqual([true, 200]);
});

/** Connects as the administrator of these keys: whether the server shows their certificate, and what it answers. */
async function handshake(url: string, { serving, admin }: ClusterPki): Promise<[isTheirs: boolean, code: number]> {
  const { certificate: cert, privateKey: key } = admin;
  const port = Number(new URL(url).port);
  const socket = connect({
    port,
    host: '127.0.0.1',
    cert,
    key,
    rejectUnauthorized: false,
    ALPNProtocols: ['http/1.1'],
  });
  await once(socket, 'secureConnect');
  const shown = socket.getPeerX509Certificate()?.toString() ?? '';
  socket.write('GET /api/v1/nodes HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
  let answer = '';
  for await (const chunk of socket) answer += String(chunk);
  return [shown.trim() === serving.certificate.trim(), Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1])];
}

test('the pair that is shown to API servers behind this one is read again, once it fits together', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'keelson-certificate-files-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const [old, fresh] = [(await newPki()).frontProxyClient, (await newPki()).frontProxyClient];
  const proxyClient = { certificate: join(folder, 'proxy.crt'), privateKey: join(folder, 'proxy.key') };
  await writeFile(proxyClient.certificate, old.certificate);
  await writeFile(proxyClient.privateKey, old.privateKey);
  const clock = new VirtualClock();
  const lines: string[] = [];
  const used: unknown[] = [];
  using _followed = followCertificateFiles(
    { proxyClient },
    {
      known: { proxyClient: old },
      clock,
      log: new LineLogger({ clock, level: 'info', write: (line) => lines.push(line) }),
      use: () => undefined,
      useProxyClient: (renewed) => used.push(renewed),
    },
  );
  const logged = async (what: RegExp): Promise<void> => {
    await clock.advance('5s');
    await vi.waitFor(() => expect(lines.join('')).toMatch(what), 120_000);
  };
  await writeFile(proxyClient.certificate, fresh.certificate);
  await logged(/cannot be used/);
  expect(used).toEqual([]);
  await writeFile(proxyClient.privateKey, fresh.privateKey);
  await logged(/certificates reloaded/);
  expect(used).toEqual([fresh]);
});
