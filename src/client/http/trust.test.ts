import { describe, expect, test } from 'vitest';
import { bearer, type Credential, type Credentials, FixedCredentials } from '../credentials/index.ts';
import { certificate, get, startHttp, text, transportTo, until } from '../testing/test-network.ts';
import { json, type SeenRequest, testdata, TestServer } from '../testing/test-server.ts';
import { HttpTransport } from './http-transport.ts';

describe('credentials', () => {
  class Tokens implements Credentials {
    readonly asked: (string | undefined)[] = [];
    #number = 1;

    async current(): Promise<Credential> {
      return { authorization: bearer(`token-${this.#number}`) };
    }

    async renew(refused: Credential): Promise<boolean> {
      this.asked.push(refused.authorization);
      this.#number += 1;
      return true;
    }
  }

  test('a request that is answered with 401 is sent once more with renewed credentials', async () => {
    await using server = await TestServer.start((request, response) => {
      json(response, request.headers.authorization === 'Bearer token-2' ? 200 : 401, {});
    });
    const tokens = new Tokens();
    await using transport = transportTo(server, { credentials: tokens });

    expect((await transport.send(get('/', { method: 'POST', body: 'b' }))).status).toBe(200);
    expect(tokens.asked).toEqual(['Bearer token-1']);
    expect(server.seen.map(({ body }) => body)).toEqual(['b', 'b']);
  });

  test('a second 401 is the answer', async () => {
    await using server = await TestServer.start((_request, response) => json(response, 401, { kind: 'Status' }));
    await using transport = transportTo(server, { credentials: new Tokens() });

    const response = await transport.send(get('/'));

    expect(response.status).toBe(401);
    expect(await text(response)).toBe('{"kind":"Status"}');
    expect(server.seen).toHaveLength(2);
  });

  test('another certificate is used on another connection, while requests in flight continue', async () => {
    let finish = (): void => undefined;
    await using server = await TestServer.start((request, response) => {
      if (request.url === '/slow') finish = () => json(response, 200, { slow: true });
      else json(response, 200, {});
    });
    let shown = certificate('client');
    const credentials: Credentials = { current: async () => shown, renew: async () => false };
    await using transport = transportTo(server, { credentials });
    const slow = transport.send(get('/slow'));
    await until(() => server.seen.length === 1);

    shown = certificate('other');
    await transport.send(get('/quick')).then(text);
    finish();

    expect(await slow.then(text)).toBe('{"slow":true}');
    expect(server.seen.map(({ user }) => user)).toEqual(['client', 'other']);
  });

  test('a plain HTTP server gets no credentials', async () => {
    const seen: SeenRequest['headers'][] = [];
    await using server = await startHttp((headers) => seen.push(headers));
    const transport = new HttpTransport({
      server: server.url,
      credentials: new FixedCredentials({ authorization: bearer('secret') }),
    });

    await transport.send(get('/')).then(text);
    await transport[Symbol.asyncDispose]();

    expect(seen[0]).not.toHaveProperty('authorization');
  });

  test('a key that does not belong to the certificate is an error that says so', async () => {
    await using server = await TestServer.start((_request, response) => json(response, 200, {}));
    const mixed = { certificate: { certificate: testdata('client.crt'), key: testdata('other.key') } };
    await using transport = transportTo(server, { credentials: new FixedCredentials(mixed) });

    await expect(transport.send(get('/'))).rejects.toMatchObject({ reason: 'credentials' });
  });
});

describe('the server proves itself', () => {
  test('a certificate of an unknown authority is rejected, unless insecureSkipTlsVerify is set', async () => {
    await using server = await TestServer.start((_request, response) => json(response, 200, {}));
    await using wary = new HttpTransport({ server: server.url });
    await using careless = new HttpTransport({ server: server.url, insecureSkipTlsVerify: true });

    await expect(wary.send(get('/'))).rejects.toMatchObject({
      reason: 'connect',
      message: expect.stringContaining(server.url),
    });
    expect((await careless.send(get('/'))).status).toBe(200);
  });

  test('tlsServerName is the name that the certificate must have', async () => {
    await using server = await TestServer.start((_request, response) => json(response, 200, {}));
    await using right = transportTo(server, { tlsServerName: 'api.example.test' });
    await using wrong = transportTo(server, { tlsServerName: 'other.example.test' });

    expect((await right.send(get('/'))).status).toBe(200);
    await expect(wrong.send(get('/'))).rejects.toThrow(/other\.example\.test/);
  });
});
