import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Attack } from './attack.ts';

const CONNECTIONS = 11_000;

export const attack: Attack = {
  name: 'connection-flood',
  what: '11,000 connections that say nothing, from one address',
  async run(target, signal) {
    const { hostname, port } = new URL(target.url);
    const sockets: Socket[] = [];
    let closed = 0;
    for (let index = 0; index < CONNECTIONS && !signal.aborted; index++) {
      const socket = connect({ host: hostname, port: Number(port), localAddress: '127.0.0.3' });
      socket
        .on('error', () => undefined)
        .on('close', () => (closed += 1))
        .resume();
      sockets.push(socket);
      if (index % 100 === 0) await sleep(5);
    }
    await sleep(1_000);
    const line = `${closed} of ${sockets.length} turned away`;
    for (const socket of sockets) socket.destroy();
    return line;
  },
};
