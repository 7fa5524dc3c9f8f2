import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TLSSocket } from 'node:tls';
import { SPDY_COMMAND_PROTOCOLS } from '../../src/wire/remote-command/index.ts';
import { dataFrame, openFrame } from '../../src/wire/spdy/frame.ts';
import { HeaderPacker } from '../../src/wire/spdy/header-block.ts';
import { frame, OPCODE } from '../../src/wire/websocket/index.ts';
import type { Attack, AttackTarget } from './attack.ts';
import { bearer, dial, put, send, session } from './wire.ts';

const FRAMES = 448_000;
const FRAMES_A_WRITE = 8_000;
const PODS = '/api/v1/namespaces/default/pods';
const EXEC = `${PODS}/typed-at/exec?stdin=true&stdout=true&command=cat`;
const MASK = Buffer.from([1, 2, 3, 4]);
const UNANSWERED_MS = 10_000;

/** Bytes of standard input, one a frame. */
const tinyWebSocketFrame = frame(OPCODE.binary, Buffer.from([0, 120]), MASK);

export const webSocketFrames: Attack = {
  name: 'tiny-websocket-frames',
  what: '448,000 WebSocket frames with a byte of input each, for one command',
  isForOursOnly: true, // the other server has no node
  prepare: runPod,
  async run(target, signal) {
    const socket = await upgrade(target, 'GET', [
      'upgrade: websocket',
      'sec-websocket-version: 13',
      'sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==',
      'sec-websocket-protocol: v5.channel.k8s.io',
    ]);
    return flood(socket, tinyWebSocketFrame, signal);
  },
};

export const spdyFrames: Attack = {
  name: 'tiny-spdy-frames',
  what: '448,000 SPDY frames with a byte of input each, for one command',
  isForOursOnly: true,
  prepare: runPod,
  async run(target, signal) {
    const socket = await upgrade(target, 'POST', [
      'upgrade: SPDY/3.1',
      `x-stream-protocol-version: ${SPDY_COMMAND_PROTOCOLS[0]}`,
    ]);
    const packer = new HeaderPacker();
    for (const [index, type] of ['error', 'stdin', 'stdout'].entries())
      await put(socket, openFrame(1 + 2 * index, packer.pack({ streamtype: type })));
    return flood(socket, dataFrame(3, Buffer.from('x'), false), signal);
  },
};

async function upgrade(target: AttackTarget, method: string, headers: readonly string[]): Promise<TLSSocket> {
  const socket = await dial(target, 'http/1.1');
  const lines = [
    `${method} ${EXEC} HTTP/1.1`,
    'host: x',
    `authorization: ${bearer(target)['authorization']}`,
    'connection: Upgrade',
    ...headers,
  ];
  await put(socket, `${lines.join('\r\n')}\r\n\r\n`);
  const [answer] = (await once(socket, 'data', { signal: AbortSignal.timeout(UNANSWERED_MS) })) as [Buffer];
  if (!answer.toString('latin1').startsWith('HTTP/1.1 101')) throw new Error(answer.toString('latin1'));
  socket.resume();
  return socket;
}

async function flood(socket: TLSSocket, tiny: Buffer, signal: AbortSignal): Promise<string> {
  const bytes = Buffer.concat(Array.from({ length: FRAMES_A_WRITE }, () => tiny));
  let sent = 0;
  while (sent < FRAMES && !signal.aborted && (await put(socket, bytes))) sent += FRAMES_A_WRITE;
  await sleep(4_000, undefined, { signal }).catch(() => undefined); // the server reads what is on its way
  socket.destroy();
  await sleep(1_000); // what the server does after the client has left counts too
  return `${sent} frames taken`;
}

async function runPod(target: AttackTarget): Promise<void> {
  const over = session(target);
  const headers = { ...bearer(target), 'content-type': 'application/json' };
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'typed-at' },
    spec: { containers: [{ name: 'main', image: 'registry.invalid/main:1' }] },
  };
  const code = await send(over, { ':method': 'POST', ':path': PODS, ...headers }, JSON.stringify(pod));
  if (code !== 201) throw new Error(`The pod was answered with ${code}`);
  for (let tries = 0; tries < 100; tries++) {
    if ((await send(over, { ':path': `${PODS}/typed-at/log`, ...headers })) === 200) break;
    await sleep(100);
  }
  over.close();
}
