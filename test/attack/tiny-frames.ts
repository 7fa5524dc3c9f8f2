import { Buffer } from 'node:buffer';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TLSSocket } from 'node:tls';
import { dataFrame, openFrame } from '../../src/wire/spdy/frame.ts';
import { HeaderPacker } from '../../src/wire/spdy/header-block.ts';
import { frame, OPCODE } from '../../src/wire/websocket/index.ts';
import type { Attack } from './attack.ts';
import { execUpgrade, runPod } from './exec-upgrade.ts';
import { put } from './wire.ts';

const FRAMES = 448_000;
const FRAMES_A_WRITE = 8_000;
/** Copies what is typed. */
const CAT = { command: ['cat'], query: 'stdin=true&stdout=true' };
const MASK = Buffer.from([1, 2, 3, 4]);

/** Bytes of standard input, one a frame. */
const tinyWebSocketFrame = frame(OPCODE.binary, Buffer.from([0, 120]), MASK);

export const webSocketFrames: Attack = {
  name: 'tiny-websocket-frames',
  what: '448,000 WebSocket frames with a byte of input each, for one command',
  isByEditor: true,
  isForOursOnly: true, // the other server has no node
  prepare: runPod,
  async run(target, signal) {
    const socket = await execUpgrade(target, CAT);
    return flood(socket, tinyWebSocketFrame, signal);
  },
};

export const spdyFrames: Attack = {
  name: 'tiny-spdy-frames',
  what: '448,000 SPDY frames with a byte of input each, for one command',
  isByEditor: true,
  isForOursOnly: true,
  prepare: runPod,
  async run(target, signal) {
    const socket = await execUpgrade(target, { ...CAT, isSpdy: true });
    const packer = new HeaderPacker();
    for (const [index, type] of ['error', 'stdin', 'stdout'].entries())
      await put(socket, openFrame(1 + 2 * index, packer.pack({ streamtype: type })));
    return flood(socket, dataFrame(3, Buffer.from('x'), false), signal);
  },
};

async function flood(socket: TLSSocket, tiny: Buffer, signal: AbortSignal): Promise<string> {
  const bytes = Buffer.concat(Array.from({ length: FRAMES_A_WRITE }, () => tiny));
  let sent = 0;
  while (sent < FRAMES && !signal.aborted && (await put(socket, bytes))) sent += FRAMES_A_WRITE;
  await sleep(4_000, undefined, { signal }).catch(() => undefined); // the server reads what is on its way
  socket.destroy();
  await sleep(1_000); // what the server does after the client has left counts too
  return `${sent} frames taken`;
}
