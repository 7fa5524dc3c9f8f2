import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { VirtualClock } from '../base/index.ts';
import {
  type CommandStreams,
  exitOutcome,
  forwardOverSpdy,
  openSpdyCommand,
  PORT_FORWARD_PROTOCOL,
  spdyCommand,
} from '../wire/remote-command/index.ts';
import { SpdySession, type SpdyStream } from '../wire/spdy/index.ts';
import { ProxiedNode, untilStill } from './testing/proxied-node.ts';

const WANTED = { stdin: true, stdout: true, stderr: false, tty: false };
const PATH = '/exec?stdin=true&stdout=true&command=cat';
const V4 = 'v4.channel.k8s.io';
const V5 = 'v5.channel.k8s.io';
const STDOUT = 1;
const OUTCOME = 3;
/** Those of PATH: its error, input and output. */
const STREAMS = 3;
const PIECE = Buffer.alloc(64 * 1024, 'x');
const PIECES = 1024;

/** A node that runs a command, and records how it ended. */
class CommandNode {
  readonly started: Promise<CommandStreams>;
  readonly #start: (streams: CommandStreams) => void;

  constructor() {
    let start: (streams: CommandStreams) => void = () => undefined;
    this.started = new Promise((resolve) => (start = resolve));
    this.#start = start;
  }

  readonly serve = (connection: Duplex): void =>
    void spdyCommand(connection, WANTED, { clock: new VirtualClock(), protocol: V4 }).then(this.#start);
}

function gone(streams: CommandStreams): Promise<unknown> {
  return streams.signal.aborted ? Promise.resolve() : once(streams.signal, 'abort');
}

describe('a client that vanishes while a command runs', () => {
  test('ends the command, over SPDY', async () => {
    const command = new CommandNode();
    await using node = await ProxiedNode.start('exec', command.serve);
    const { socket } = await node.openSpdy(PATH, V4);
    await openSpdyCommand(socket, { ...WANTED, resize: false });
    const streams = await command.started;
    socket.destroy();
    await gone(streams);
    await node.untilOver();
    expect(node.clock.pending).toBe(0);
  });

  test('ends the command, over WebSocket', async () => {
    const command = new CommandNode();
    await using node = await ProxiedNode.start('exec', command.serve);
    await node.openWebSocket(PATH, V5);
    const streams = await command.started;
    node.client.destroy();
    await gone(streams);
    await node.untilOver();
    expect(node.clock.pending).toBe(0);
  });

  test('ends the connections it forwarded', async () => {
    let left: unknown;
    await using node = await ProxiedNode.start('portforward', (connection) => {
      void forwardOverSpdy(connection, echo, 'web').then(() => (left = true));
    });
    const { socket } = await node.openSpdy('/portforward', PORT_FORWARD_PROTOCOL);
    const data = await openPort(socket);
    await data.write(Buffer.from('hello'));
    expect(await firstOf(data)).toBe('hello');
    socket.destroy();
    await node.untilOver();
    expect(left).toBe(true);
    expect(node.clock.pending).toBe(0);
  });
});

describe('a node that is lost while a command runs', () => {
  test('closes the connection of a client that speaks SPDY with it', async () => {
    const command = new CommandNode();
    await using node = await ProxiedNode.start('exec', command.serve);
    const { socket } = await node.openSpdy(PATH, V4);
    await openSpdyCommand(socket, { ...WANTED, resize: false });
    await command.started;
    const closed = new Promise((resolve) => socket.once('close', resolve)); // also after a reset
    node.connections[0]?.destroy();
    await closed;
    await node.untilOver();
    expect(node.clock.pending).toBe(0);
  });

  test('is reported as a failure to a client that speaks WebSocket', async () => {
    const command = new CommandNode();
    await using node = await ProxiedNode.start('exec', command.serve);
    const client = await node.openWebSocket(PATH, V5);
    await command.started;
    node.connections[0]?.destroy();
    const outcomes: unknown[] = [];
    for await (const { data } of client)
      if (data[0] === OUTCOME) outcomes.push(JSON.parse(Buffer.from(data.subarray(1)).toString()));
    expect(outcomes).toMatchObject([{ status: 'Failure', reason: 'InternalError' }]);
    node.client.destroy();
    await node.untilOver();
    expect(node.clock.pending).toBe(0);
  });
});

test('a node that closes the connection right after its report, with streams open, has reported', async () => {
  await using node = await ProxiedNode.start('exec', (connection) => {
    const streams = new Map<string, SpdyStream>();
    const onStream = async (stream: SpdyStream): Promise<void> => {
      streams.set(stream.headers['streamtype'] ?? '', stream);
      if (streams.size < STREAMS) return;
      await streams.get('stdout')?.write(Buffer.from('hello'));
      await streams.get('error')?.write(Buffer.from('{"status":"Success"}'));
      setImmediate(() => connection.end()); // when the session has sent its frames
      await session.closed;
    };
    const session = new SpdySession(connection, { isServer: true, onStream: (stream) => void onStream(stream) });
  });
  const client = await node.openWebSocket(PATH, V5);
  const messages: string[] = [];
  for await (const { data } of client) messages.push(`${data[0]} ${Buffer.from(data.subarray(1)).toString()}`);
  expect(messages).toEqual([`${STDOUT} `, `${STDOUT} hello`, `${OUTCOME} {"status":"Success"}`]);
});

describe('a client that does not read', () => {
  test('holds the node back over SPDY, and gets everything in the end', async () => {
    const command = new CommandNode();
    await using node = await ProxiedNode.start('exec', command.serve);
    const { socket } = await node.openSpdy(PATH, V4);
    const { stdout } = await openSpdyCommand(socket, { ...WANTED, resize: false });
    const output = pourOut(await command.started);
    expect(await untilStill(() => output.written)).toBeLessThan(PIECES / 2);
    let bytes = 0;
    for await (const chunk of stdout) bytes += chunk.length;
    await output.done;
    expect(bytes).toBe(PIECES * PIECE.length);
  });

  test('holds the node back over WebSocket, and gets everything in the end', async () => {
    const command = new CommandNode();
    await using node = await ProxiedNode.start('exec', command.serve);
    const client = await node.openWebSocket(PATH, V5);
    const output = pourOut(await command.started);
    expect(await untilStill(() => output.written)).toBeLessThan(PIECES / 2);
    let bytes = 0;
    for await (const { data } of client) if (data[0] === STDOUT) bytes += data.length - 1;
    await output.done;
    expect(bytes).toBe(PIECES * PIECE.length);
  });
});

describe('the end of the input', () => {
  test('reaches the command over SPDY, which answers after it', async () => {
    const command = new CommandNode();
    await using node = await ProxiedNode.start('exec', command.serve);
    const { socket } = await node.openSpdy(PATH, V4);
    const { stdin, stdout } = await openSpdyCommand(socket, { ...WANTED, resize: false });
    const answering = answerAfterwards(await command.started);
    await stdin?.write(Buffer.from('hello'));
    await stdin?.end();
    let answer = '';
    for await (const chunk of stdout) answer += Buffer.from(chunk).toString();
    await answering;
    expect(answer).toBe('hello, and goodbye');
  });

  test('reaches the command over WebSocket, which answers after it', async () => {
    const command = new CommandNode();
    await using node = await ProxiedNode.start('exec', command.serve);
    const client = await node.openWebSocket(PATH, V5);
    const answering = answerAfterwards(await command.started);
    await client.send(Buffer.from('\0hello'));
    await client.send(Uint8Array.of(255, 0));
    let answer = '';
    for await (const { data } of client) if (data[0] === STDOUT) answer += Buffer.from(data.subarray(1)).toString();
    await answering;
    expect(answer).toBe('hello, and goodbye');
  });

  test('reaches a forwarded port, which answers after it', async () => {
    await using node = await ProxiedNode.start('portforward', (connection) => {
      void forwardOverSpdy(connection, answerAtTheEnd, 'web');
    });
    const { socket } = await node.openSpdy('/portforward', PORT_FORWARD_PROTOCOL);
    const data = await openPort(socket);
    await data.write(Buffer.from('hello'));
    await data.end();
    let answer = '';
    for await (const chunk of data) answer += Buffer.from(chunk).toString();
    expect(answer).toBe('hello, and goodbye');
  });
});

/** Writes much more than all buffers on the way can hold. */
function pourOut(streams: CommandStreams): { readonly written: number; readonly done: Promise<void> } {
  let written = 0;
  const pour = async (): Promise<void> => {
    for (; written < PIECES; written++) await streams.stdout(PIECE);
    await streams.end(exitOutcome(0, ''));
  };
  const done = pour();
  return {
    get written() {
      return written;
    },
    done,
  };
}

async function answerAfterwards(streams: CommandStreams): Promise<void> {
  for await (const bytes of answerAtTheEnd(0, streams.stdin)) await streams.stdout(bytes);
  await streams.end(exitOutcome(0, ''));
}

async function* answerAtTheEnd(_port: number, sent: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const parts: Uint8Array[] = [];
  for await (const bytes of sent) parts.push(bytes);
  yield Buffer.concat([...parts, Buffer.from(', and goodbye')]);
}

async function* echo(_port: number, sent: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* sent;
}

async function openPort(socket: Duplex): ReturnType<SpdySession['open']> {
  const session = new SpdySession(socket, { isServer: false });
  const headers = { port: '80', requestid: '0' };
  const error = await session.open({ ...headers, streamtype: 'error' });
  await error.end();
  return session.open({ ...headers, streamtype: 'data' });
}

async function firstOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  for await (const chunk of chunks) return Buffer.from(chunk).toString();
  return '';
}
