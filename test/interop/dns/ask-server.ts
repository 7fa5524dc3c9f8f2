// Sends messages to a DNS server, one after the other.
import { createSocket } from 'node:dgram';
import { connect } from 'node:net';
import { FrameReader, framed } from '../../../src/wire/dns/index.ts';
import type { Asked } from './questions.ts';

/** A server that has not answered after this time does not answer. */
const PATIENCE_MS = 1500;

/** The answer to a message; undefined when there is none. */
export function askServer({ packet, transport }: Asked, port: number, host: string): Promise<Buffer | undefined> {
  const bytes = Buffer.from(packet, 'base64');
  return transport === 'udp' ? askUdp(bytes, port, host) : askTcp(bytes, port, host);
}

/** The answer over UDP; undefined when there is none in time, or nothing listens. */
export function askUdp(bytes: Buffer, port: number, host: string): Promise<Buffer | undefined> {
  const socket = createSocket('udp4');
  return new Promise<Buffer | undefined>((resolve, reject) => {
    const timer = setTimeout(() => resolve(undefined), PATIENCE_MS);
    socket.once('message', (answer) => {
      clearTimeout(timer);
      resolve(answer);
    });
    socket.once('error', reject);
    socket.send(bytes, port, host);
  }).finally(() => socket.close());
}

function askTcp(bytes: Buffer, port: number, host: string): Promise<Buffer | undefined> {
  const socket = connect({ port, host });
  const frames = new FrameReader();
  return new Promise<Buffer | undefined>((resolve, reject) => {
    const timer = setTimeout(() => resolve(undefined), PATIENCE_MS);
    socket.on('data', (chunk) => {
      for (const answer of frames.push(chunk)) {
        clearTimeout(timer);
        resolve(answer);
      }
    });
    socket.once('error', reject);
    socket.once('close', () => resolve(undefined));
    socket.write(framed(bytes));
  }).finally(() => socket.destroy());
}
