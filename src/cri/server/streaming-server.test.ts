import { expect, onTestFinished, test } from 'vitest';
import { CryptoRandom, discardLogger, VirtualClock } from '../../base/index.ts';
import type { OpenProcess } from '../../node/index.ts';
import { HttpClient } from '../../wire/http/index.ts';
import { openSpdyCommand } from '../../wire/remote-command/index.ts';
import { StreamingServer } from './streaming-server.ts';

const WANTED = { tty: false, stdin: true, stdout: true, stderr: false };
const UPGRADE = { connection: 'Upgrade', upgrade: 'SPDY/3.1', 'x-stream-protocol-version': 'v4.channel.k8s.io' };

/** Prints what it reads, and ends with 3. */
const parrot: OpenProcess = ({ stdin }) => {
  let end: (code: number) => void = () => undefined;
  const exitCode = new Promise<number>((resolve) => (end = resolve));
  async function* stdout(): AsyncGenerator<Uint8Array> {
    yield* stdin ?? [];
    end(3);
  }
  async function* stderr(): AsyncGenerator<Uint8Array> {
    // nothing
  }
  return { stdout: stdout(), stderr: stderr(), exitCode };
};

async function textOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all).toString();
}

test('a URL connects one client with the process, once and within a minute', async () => {
  const clock = new VirtualClock();
  await using server = await StreamingServer.listen({
    host: '127.0.0.1',
    port: 0,
    clock,
    random: new CryptoRandom(),
    log: discardLogger,
  });
  const newUrl = (): URL => new URL(server.commandUrl('exec', { type: 'in process', open: parrot }, WANTED));
  const open = async (url: URL): Promise<Awaited<ReturnType<HttpClient['upgrade']>>> => {
    const client = new HttpClient({ target: { server: url }, clock, isHttp1Only: true });
    onTestFinished(() => client.destroy());
    const { signal } = new AbortController();
    return client.upgrade({ method: 'POST', path: url.pathname, headers: UPGRADE, signal });
  };
  const url = newUrl();
  expect(url.pathname).toMatch(/^\/exec\/[\w-]{16}$/);
  const answer = await open(url);
  if (!('socket' in answer)) throw new Error(`Refused with ${answer.status}`);
  const command = await openSpdyCommand(answer.socket, { ...WANTED, resize: false });
  await command.stdin?.write(Buffer.from('hello'));
  await command.stdin?.end();
  expect(await textOf(command.stdout)).toBe('hello');
  expect(JSON.parse(await textOf(command.error))).toMatchObject({ status: 'Failure', reason: 'NonZeroExitCode' });
  command.close();

  expect(await open(url)).toMatchObject({ status: 404 });
  const late = newUrl();
  await clock.advance('61s');
  expect(await open(late)).toMatchObject({ status: 404 });
  expect(await open(new URL('/exec/made-up', url))).toMatchObject({ status: 404 });
});

test('unused URLs are limited', async () => {
  await using server = await StreamingServer.listen({
    host: '127.0.0.1',
    port: 0,
    clock: new VirtualClock(),
    random: new CryptoRandom(),
    log: discardLogger,
  });
  const next = (): string => server.commandUrl('exec', { type: 'in process', open: parrot }, WANTED);
  for (let count = 0; count < 1000; count++) next();
  expect(next).toThrow('1000 streams wait for their clients already');
  const own = server.commandUrl('exec', { type: 'url', url: 'http://elsewhere/x' }, WANTED);
  expect(own).toBe('http://elsewhere/x');
});
