import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findTool } from '../../base/testing/find-tool.ts';
import { requires } from '../../base/testing/requires.ts';
import { expectFailure, put, text, write } from '../testing/store-under-test.ts';
import type { TlsCredentials, TlsSource } from '../../wire/grpc/index.ts';
import { openStore } from './testing/describe-with-etcd.ts';
import { tlsHint } from './reach-etcd.ts';
import { EtcdProcess } from './testing/etcd-process.ts';
import { TestCertificates } from './testing/test-certificates.ts';

describe('an etcd that asks for client certificates', requires('etcd', 'openssl'), () => {
  let certificates: TestCertificates;
  let etcd: EtcdProcess;
  let tls: TlsCredentials;

  beforeAll(async () => {
    certificates = await TestCertificates.make(findTool('openssl') ?? '');
    await certificates.issue('server', 'DNS:etcd.test,IP:127.0.0.1');
    await certificates.issue('client', 'DNS:client.test');
    tls = {
      ca: await certificates.read('ca.crt'),
      certificate: await certificates.read('client.crt'),
      key: await certificates.read('client.key'),
    };
    const file = (flag: string, name: string): string => `--${flag}=${certificates.path(name)}`;
    const flags = [
      file('cert-file', 'server.crt'),
      file('key-file', 'server.key'),
      file('trusted-ca-file', 'ca.crt'),
      '--client-cert-auth',
    ];
    etcd = await EtcdProcess.start({ binary: findTool('etcd') ?? '', flags, tls });
  });
  afterAll(async () => {
    await etcd?.[Symbol.asyncDispose]();
    await certificates?.[Symbol.asyncDispose]();
  });

  const use = async (source: TlsSource | undefined, requestTimeout?: number): Promise<string | undefined> => {
    await using store = openStore(etcd, { tls: source, requestTimeout });
    await write(store, put('/a', 'secret'));
    return text(await store.get('/a'));
  };

  test('is used with one, given as text, as bytes or by a function', async () => {
    expect(await use(tls)).toBe('secret');
    const { ca, certificate, key } = tls;
    expect(await use({ ca: Buffer.from(String(ca)), certificate, key: Buffer.from(String(key)) })).toBe('secret');
    expect(await use(async () => tls)).toBe('secret');
  });

  test('reports which of the settings is wrong', async () => {
    const stranger = await TestCertificates.make(findTool('openssl') ?? '');
    await stranger.issue('client', 'DNS:client.test');
    const [ca, certificate, key] = await Promise.all(
      ['ca.crt', 'client.crt', 'client.key'].map((name) => stranger.read(name)),
    );
    await stranger[Symbol.asyncDispose]();
    const hintFor = async (source: TlsSource | undefined, endpoint = etcd.endpoint): Promise<string | undefined> => {
      await using store = openStore(etcd, { tls: source, endpoints: [endpoint], requestTimeout: 2000 });
      return await store.revision().then(() => 'none', tlsHint);
    };

    const hints = await Promise.all([
      hintFor({ ...tls, ca }),
      hintFor(undefined),
      hintFor({ ca: tls.ca }),
      hintFor({ ca: tls.ca, certificate, key }),
      hintFor({ ...tls, key }),
      hintFor({ ...tls, serverName: 'other.test' }),
      hintFor(undefined, etcd.endpoint.replace('https', 'http')),
    ]);

    expect(hints).toEqual([
      expect.stringMatching(/not signed by the authority/),
      expect.stringMatching(/not signed by the authority/),
      expect.stringMatching(/does not take the client certificate/),
      expect.stringMatching(/does not take the client certificate/),
      expect.stringMatching(/not that of the client certificate/),
      expect.stringMatching(/does not name the host/),
      expect.stringMatching(/may speak TLS/),
    ]);
  });

  test('is verified against the configured server name', async () => {
    expect(await use({ ...tls, serverName: 'etcd.test' })).toBe('secret');
    await expect(use({ ...tls, serverName: 'other.test' }, 500)).rejects.toThrow(/does not match certificate/);
  });

  test('is not used without a certificate, or when its authority is unknown', async () => {
    await expectFailure('Unavailable', use({ ca: tls.ca }, 500));
    await expect(use({ certificate: tls.certificate, key: tls.key }, 500)).rejects.toThrow(/unable to verify/);
    await expect(use(undefined, 500)).rejects.toThrow(/unable to verify/);
  });
});
