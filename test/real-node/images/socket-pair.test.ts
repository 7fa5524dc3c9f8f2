import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, test } from 'vitest';
import { findPeer } from '../../../peers/index.ts';

const peer = findPeer('image/socket-pair');
if (peer.path === undefined) console.log(`socket-pair is not tested: ${peer.reason}`);

describe.skipIf(peer.path === undefined)('the program that pairs a socket and a port', () => {
  let folder: string;
  let child: ChildProcess;
  let port: number;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keelson-pair-'));
    child = spawn(peer.path ?? '', [`--endpoint=unix://${folder}/csi.sock`, '--proxy-endpoint=tcp://127.0.0.1:0'], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    assert.ok(child.stderr !== null);
    for await (const line of createInterface({ input: child.stderr })) {
      const found = /pairing .* with .*:(\d+)$/.exec(line);
      assert.ok(found !== null, line);
      port = Number(found[1]);
      break;
    }
  });

  afterEach(async () => {
    child.kill();
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    await rm(folder, { recursive: true, force: true });
  });

  const dial = async (to: number | string): Promise<Socket> => {
    const socket = typeof to === 'number' ? connect(to, '127.0.0.1') : connect(to);
    await once(socket, 'connect');
    return socket.setEncoding('utf8');
  };
  const heard = async (socket: Socket): Promise<string> => String((await once(socket, 'data'))[0]);

  test('passes bytes both ways, also those that were sent before a client came', async () => {
    const server = await dial(port);
    server.write('settings');
    const client = await dial(`${folder}/csi.sock`);
    assert.equal(await heard(client), 'settings');
    client.write('call');
    assert.equal(await heard(server), 'call');
    client.destroy();
    await once(server, 'close');
  });

  test('skips connections that were closed while they waited', async () => {
    const gone = await dial(port);
    gone.end();
    await once(gone, 'close'); // the program has closed its side as well
    const server = await dial(port);
    server.write('alive');
    const client = await dial(`${folder}/csi.sock`);
    assert.equal(await heard(client), 'alive');
    client.destroy();
    server.destroy();
  });

  test('gives each client a connection of its own', async () => {
    const servers = [await dial(port), await dial(port)];
    const clients = [await dial(`${folder}/csi.sock`), await dial(`${folder}/csi.sock`)];
    for (const [at, server] of servers.entries()) server.write(`server ${at}`);
    const texts = await Promise.all(clients.map(heard));
    assert.deepEqual(texts.toSorted(), ['server 0', 'server 1']);
    for (const socket of [...servers, ...clients]) socket.destroy();
  });
});
