import { createPrivateKey, createPublicKey } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:tls';
import { expect, test } from 'vitest';
import { CryptoRandom } from '../../base/index.ts';
import { issueCertificate, newPrivateKey, selfIssuer } from '../certificates/index.ts';
import { dial } from './dial.ts';

const validity = { notBefore: Date.UTC(2020), notAfter: Date.UTC(2049) };

/** A server's certificate and key, signed by an authority that only the test knows. */
function servingPair(): { readonly certificate: string; readonly privateKey: string } {
  const issuer = selfIssuer({ commonName: 'authority' }, createPrivateKey(newPrivateKey()));
  const privateKey = newPrivateKey();
  const request = { subject: { commonName: 'localhost' }, usage: 'server', names: ['127.0.0.1'], ...validity } as const;
  const certificate = issueCertificate(request, createPublicKey(privateKey), { issuer, random: new CryptoRandom() });
  return { certificate, privateKey };
}

test("the server's own certificate can be the trusted one, as envtest does with its webhooks", async () => {
  const { certificate, privateKey } = servingPair();
  const server = createServer({ cert: certificate, key: privateKey }, (socket) => socket.on('error', () => undefined));
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const target = { server: new URL(`https://127.0.0.1:${port}`) };
  const options = { protocols: ['http/1.1'], signal: new AbortController().signal };

  const socket = await dial(target, { ...options, authorities: certificate });
  socket.destroy();
  const other = servingPair().certificate;
  await expect(dial(target, { ...options, authorities: other })).rejects.toThrow('Cannot connect');
  server.close();
});
