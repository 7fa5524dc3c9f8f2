import { createPrivateKey, createPublicKey } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { CryptoRandom, RealClock } from '../../base/index.ts';
import { issueCertificate, newPrivateKey, selfIssuer } from '../../wire/certificates/index.ts';
import { Diagnosis } from './diagnosis.ts';
import { nodeInfoOf, podInfoOf } from '../testing/objects.ts';
import { type ExtenderTrust, httpExtender } from './extender-http.ts';
import type { Extender } from './extender.ts';
import { filterByExtenders } from './run-extenders.ts';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

const signal = new AbortController().signal;
const nodes = [nodeInfoOf({ name: 'n1' }), nodeInfoOf({ name: 'n2' })];

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => server.close().closeAllConnections());
  return (server.address() as AddressInfo).port;
}

function extenderAt(urlPrefix: string, tls?: ExtenderTrust): Extender {
  const verbs = new Map([['filter', 'filter'] as const]);
  const extender = httpExtender({ urlPrefix, verbs, clock: new RealClock(), ...(tls === undefined ? {} : { tls }) });
  closers.push(() => extender.close?.());
  return extender;
}

async function ask(answer: RequestListener): Promise<readonly string[]> {
  const port = await listening(createServer(answer));
  return filtered(extenderAt(`http://127.0.0.1:${port}`));
}

async function filtered(extender: Extender): Promise<readonly string[]> {
  const left = await filterByExtenders([extender], podInfoOf(), { nodes, diagnosis: new Diagnosis(), signal });
  return left.map(({ name }) => name);
}

const chosen = JSON.stringify({ Nodes: { items: [{ metadata: { name: 'n2' } }] } });

describe('a hostile extender', () => {
  test('that redirects is not followed', async () => {
    let followed = 0;
    const answer = ask((request, response) => {
      if (request.url === '/elsewhere') followed += 1;
      response.writeHead(307, { location: '/elsewhere' }).end();
    });
    await expect(answer).rejects.toThrow(/^failed filter with extender at URL http:\S+\/filter, code 307$/);
    expect(followed).toBe(0);
  });

  test('that sends an endless response is cut off', async () => {
    const answer = ask((_, response) => {
      const chunk = Buffer.alloc(1024 * 1024, ' ');
      const more = (): void => {
        while (!response.destroyed && response.write(chunk));
      };
      response.on('drain', more);
      more();
    });
    await expect(answer).rejects.toThrow('the answer has more than 33554432 bytes');
  });

  test('that invents nodes makes the attempt fail, also with whole nodes', async () => {
    const answer = ask((_, response) =>
      response.end(JSON.stringify({ Nodes: { items: [{ metadata: { name: 'n9' } }] } })),
    );
    await expect(answer).rejects.toThrow('claims a filtered node "n9" which is not found in the input node list');
  });

  test('that closes kept-alive connections is called once more', async () => {
    let requests = 0;
    const server = createServer((request, response) => {
      requests += 1;
      response.end(chosen, () => setImmediate(() => request.socket.destroy()));
    });
    const extender = extenderAt(`http://127.0.0.1:${await listening(server)}`);
    for (let round = 0; round < 5; round++) expect(await filtered(extender)).toEqual(['n2']);
    expect(requests).toBeGreaterThanOrEqual(5);
  });
});

describe('an extender over HTTPS', () => {
  async function secure(): Promise<{ readonly port: number; readonly authorities: string }> {
    const key = newPrivateKey();
    const subject = { commonName: 'extender' };
    const issuer = selfIssuer(subject, createPrivateKey(key));
    const leaf = {
      subject,
      usage: 'server',
      names: ['localhost'],
      notBefore: Date.UTC(2020),
      notAfter: Date.UTC(2049),
    } as const;
    const cert = issueCertificate(leaf, createPublicKey(key), { issuer, random: new CryptoRandom() });
    const server = createTlsServer({ cert, key }, (_, response) => response.end(chosen));
    return { port: await listening(server), authorities: cert };
  }

  test('is verified with the given CA and server name', async () => {
    const { port, authorities } = await secure();
    const at = (host: string, tls?: ExtenderTrust): Extender => extenderAt(`https://${host}:${port}`, tls);
    expect(await filtered(at('localhost', { authorities }))).toEqual(['n2']);
    expect(await filtered(at('127.0.0.1', { authorities, serverName: 'localhost' }))).toEqual(['n2']);
    expect(await filtered(at('127.0.0.1', { isInsecure: true }))).toEqual(['n2']);
    await expect(filtered(at('127.0.0.1', { authorities }))).rejects.toThrow(
      "tls: failed to verify certificate: x509: cannot validate certificate for 127.0.0.1 because it doesn't contain any IP SANs",
    );
    await expect(filtered(at('localhost'))).rejects.toThrow(
      'tls: failed to verify certificate: x509: certificate signed by unknown authority',
    );
  });
});
