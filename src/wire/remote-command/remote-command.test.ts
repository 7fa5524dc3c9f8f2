import { describe, expect, test } from 'vitest';
import { CryptoRandom, VirtualClock } from '../../base/index.ts';
import { duplexPair } from '../connections/index.ts';
import { SpdySession } from '../spdy/index.ts';
import { WebSocketConnection } from '../websocket/index.ts';
import { type CommandStreams, exitCodeOf, exitOutcome, sizeBytes, type WantedStreams } from './command-streams.ts';
import { forwardOverSpdy, forwardOverWebSocket } from './port-forward.ts';
import { spdyCommand } from './spdy-command.ts';
import { openSpdyCommand } from './spdy-command-client.ts';
import { webSocketCommand } from './websocket-command.ts';
import { joinTunnel } from './websocket-tunnel.ts';

const clock = new VirtualClock();
const all: WantedStreams = { stdin: true, stdout: true, stderr: true, tty: false };

async function bytesOf(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return Buffer.concat(parts);
}

/** Both ends of a WebSocket. */
function webSockets(protocol: string): { readonly server: WebSocketConnection; readonly client: WebSocketConnection } {
  const [here, there] = duplexPair();
  return {
    server: new WebSocketConnection(there, { clock, protocol }),
    client: new WebSocketConnection(here, { clock, protocol, random: new CryptoRandom() }),
  };
}

/** Answers its input in upper case, writes its terminal size to stderr, and exits with code 3. */
async function shout({ stdin, resizes, stdout, stderr, end }: CommandStreams): Promise<void> {
  const sizes = (async () => {
    for await (const { width, height } of resizes) await stderr(Buffer.from(`${width}x${height}`));
  })();
  for await (const bytes of stdin) await stdout(Buffer.from(Buffer.from(bytes).toString().toUpperCase()));
  await sizes;
  await end(exitOutcome(3, 'exit status 3'));
}

describe('a command over SPDY', () => {
  test('has input, output and an outcome', async () => {
    const [here, there] = duplexPair();
    const running = spdyCommand(there, all, { clock, protocol: 'v4.channel.k8s.io' }).then(shout);
    const command = await openSpdyCommand(here, { ...all, resize: true });
    await command.stdin?.write(Buffer.from('hello'));
    await command.stdin?.end();

    expect(String(await bytesOf(command.stdout))).toBe('HELLO');
    expect(String(await bytesOf(command.stderr))).toBe('');
    const outcome = JSON.parse(String(await bytesOf(command.error)));
    expect(outcome).toEqual({
      status: 'Failure',
      message: 'command terminated with non-zero exit code: exit status 3',
      reason: 'NonZeroExitCode',
      details: { causes: [{ reason: 'ExitCode', message: '3' }] },
    });
    expect(exitCodeOf(outcome)).toBe(3);
    await running;
  });

  test('receives the size of its terminal, split in any way, and only the last of those that arrive together', async () => {
    const [here, there] = duplexPair();
    const wanted = { ...all, tty: true };
    const heard: unknown[] = [];
    const running = spdyCommand(there, wanted, { clock, protocol: 'v4.channel.k8s.io' }).then(
      async ({ resizes, end }) => {
        for await (const size of resizes) heard.push(size);
        await end({ status: 'Success' });
      },
    );
    const command = await openSpdyCommand(here, { ...wanted, resize: true });
    const sizes = Buffer.concat([sizeBytes({ width: 80, height: 24 }), sizeBytes({ width: 100, height: 50 })]);
    await command.resize?.write(sizes.subarray(0, 7));
    await command.resize?.write(sizes.subarray(7));
    await command.resize?.end();

    expect(String(await bytesOf(command.error))).toBe('{"status":"Success"}');
    await running;
    expect(heard.at(-1)).toEqual({ width: 100, height: 50 });
  });

  test('is rejected when the caller does not open its streams', async () => {
    const ownClock = new VirtualClock();
    const [here, there] = duplexPair();
    here.resume();
    const running = expect(spdyCommand(there, all, { clock: ownClock, protocol: 'channel.k8s.io' })).rejects.toThrow(
      'timed out waiting for client to create streams',
    );
    await ownClock.advance(30_000);

    await running;
  });

  test('sees that its caller has disconnected', async () => {
    const [here, there] = duplexPair();
    const running = spdyCommand(there, all, { clock, protocol: 'v4.channel.k8s.io' });
    await openSpdyCommand(here, { ...all, resize: false });
    const { signal, stdin } = await running;
    here.destroy();

    expect(String(await bytesOf(stdin))).toBe('');
    expect(signal.aborted).toBe(true);
  });
});

describe.each(['v4.channel.k8s.io', 'v5.channel.k8s.io', 'channel.k8s.io'])(
  'a command over a WebSocket, %s',
  (protocol) => {
    test('has input, output and an outcome', async () => {
      const { server, client } = webSockets(protocol);
      const running = webSocketCommand(server, all).then(async ({ stdin, stdout, end }) => {
        for await (const bytes of stdin) {
          await stdout(bytes);
          break;
        }
        await end(exitOutcome(3, 'exit status 3'));
      });
      await client.send(Buffer.from('\0hello'));
      const messages: string[] = [];
      for await (const { data } of client) messages.push(Buffer.from(data).toString());
      await running;

      const text = 'command terminated with non-zero exit code: exit status 3';
      expect(messages).toEqual(['\u0001', '\u0001hello', expect.stringMatching(/^\u0003/u)]);
      if (protocol === 'channel.k8s.io') expect(messages[2]).toBe(`\u0003${text}`);
      else expect(JSON.parse(messages[2]?.slice(1) ?? '')).toMatchObject({ status: 'Failure', message: text });
    });
  },
);

test('in v5, the caller can close its input', async () => {
  const { server, client } = webSockets('v5.channel.k8s.io');
  const read = webSocketCommand(server, all).then(({ stdin }) => bytesOf(stdin));
  await client.send(Buffer.from('\0hello'));
  await client.send(Uint8Array.of(255, 0));

  expect(String(await read)).toBe('hello');
});

test('base64 carries the same as text', async () => {
  const { server, client } = webSockets('v4.base64.channel.k8s.io');
  const running = webSocketCommand(server, all).then(async ({ stdin, stdout, end }) => {
    for await (const bytes of stdin) {
      await stdout(bytes);
      break;
    }
    await end({ status: 'Success' });
  });
  await client.send(`0${Buffer.from('hello').toString('base64')}`);
  const messages: string[] = [];
  for await (const { data, isText } of client)
    messages.push(`${isText ? 'text' : 'bytes'} ${Buffer.from(data).toString()}`);
  await running;

  const success = Buffer.from('{"status":"Success"}').toString('base64');
  expect(messages).toEqual(['text 1', 'text 1aGVsbG8=', `text 3${success}`]);
});

describe('a forwarded port', () => {
  async function* echo(port: number, sent: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    if (port === 81) throw new Error('connection refused');
    for await (const bytes of sent) yield Buffer.concat([Buffer.from(`${port} `), bytes]);
  }

  test('has a pair of streams for each connection, over SPDY', async () => {
    const [here, there] = duplexPair();
    const served = forwardOverSpdy(there, echo, 'default/web');
    const session = new SpdySession(here, { isServer: false });
    const open = async (
      port: string,
      requestid: string,
    ): Promise<{ readonly answer: string; readonly problem: string }> => {
      const error = await session.open({ streamtype: 'error', port, requestid });
      const data = await session.open({ streamtype: 'data', port, requestid });
      await data.write(Buffer.from('hi'));
      await data.end();
      const [answer, problem] = await Promise.all([bytesOf(data), bytesOf(error)]);
      return { answer: String(answer), problem: String(problem) };
    };

    expect(await Promise.all([open('80', '0'), open('81', '1')])).toEqual([
      { answer: '80 hi', problem: '' },
      { answer: '', problem: 'error forwarding port 81 to pod default/web: connection refused' },
    ]);
    const bad = await session.open({ streamtype: 'data', port: '0' });
    await expect(bytesOf(bad)).rejects.toThrow(/gave up/u);
    session.close();
    await served;
  });

  test('has two channels, over a WebSocket', async () => {
    const { server, client } = webSockets('v4.channel.k8s.io');
    const served = forwardOverWebSocket(server, [81], { connect: echo, pod: 'default/web' });
    const messages: string[] = [];
    for await (const { data } of client) messages.push(Buffer.from(data).toString('latin1'));
    await served;

    const problem = 'error forwarding port 81 to pod default/web: connection refused';
    expect(messages).toEqual(['\0Q\0', '\u0001Q\0', `\u0001${problem}`]);
  });

  test('a tunnel passes the bytes of both directions', async () => {
    const { server, client } = webSockets('SPDY/3.1+portforward.k8s.io');
    const [near, far] = duplexPair();
    const joined = joinTunnel(server, near);
    await client.send(Buffer.from('to the pod'));
    const first = await far.iterator({ destroyOnReturn: false }).next();
    far.end('to the caller');
    const messages: string[] = [];
    for await (const { data } of client) messages.push(Buffer.from(data).toString());
    await joined;

    expect(String(first.value)).toBe('to the pod');
    expect(messages).toEqual(['to the caller']);
  });
});
