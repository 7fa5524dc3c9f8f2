import type { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TLSSocket } from 'node:tls';
import { SPDY_COMMAND_PROTOCOLS } from '../../src/wire/remote-command/index.ts';
import type { AttackTarget } from './attack.ts';
import { bearer, dial, put, send, session } from './wire.ts';

const PODS = '/api/v1/namespaces/default/pods';
const UNANSWERED_MS = 10_000;

const WEBSOCKET = [
  'upgrade: websocket',
  'sec-websocket-version: 13',
  'sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==',
  'sec-websocket-protocol: v5.channel.k8s.io',
];
const SPDY = ['upgrade: SPDY/3.1', `x-stream-protocol-version: ${SPDY_COMMAND_PROTOCOLS[0]}`];

export interface ExecWish {
  readonly command: readonly string[];
  /** Which streams: `stdin=true&stdout=true`. */
  readonly query: string;
  /** Default by WebSocket. */
  readonly isSpdy?: boolean;
}

/** A connection on which a command in the pod of `runPod` has begun. */
export async function execUpgrade(
  target: AttackTarget,
  { command, query, isSpdy = false }: ExecWish,
): Promise<TLSSocket> {
  const socket = await dial(target, 'http/1.1');
  const words = command.map((word) => `command=${encodeURIComponent(word)}`).join('&');
  const lines = [
    `${isSpdy ? 'POST' : 'GET'} ${PODS}/typed-at/exec?${query}&${words} HTTP/1.1`,
    'host: x',
    ...Object.entries(bearer(target)).map(([name, value]) => `${name}: ${value}`),
    'connection: Upgrade',
    ...(isSpdy ? SPDY : WEBSOCKET),
  ];
  await put(socket, `${lines.join('\r\n')}\r\n\r\n`);
  const [answer] = (await once(socket, 'data', { signal: AbortSignal.timeout(UNANSWERED_MS) })) as [Buffer];
  if (!answer.toString('latin1').startsWith('HTTP/1.1 101')) throw new Error(answer.toString('latin1'));
  socket.resume();
  return socket;
}

/** A pod in which commands can be run. */
export async function runPod(target: AttackTarget): Promise<void> {
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
