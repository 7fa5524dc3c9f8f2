import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { CryptoRandom } from '../base/index.ts';
import { FrameReader, type FrameWord } from '../wire/websocket/index.ts';
import { ProxiedNode } from './testing/proxied-node.ts';

const { signal } = new AbortController();
const LOG_HEAD = ['HTTP/1.1 200 OK', 'Content-Type: text/plain', 'Transfer-Encoding: chunked'];

interface Opened {
  readonly socket: Duplex;
  readonly protocol: string;
}

async function openLog(node: ProxiedNode, protocols: readonly string[]): Promise<Opened> {
  const headers = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': Buffer.from(new CryptoRandom().bytes(16)).toString('base64'),
    ...(protocols.length === 0 ? {} : { 'sec-websocket-protocol': protocols.join(', ') }),
  };
  const answer = await node.client.upgrade({ method: 'GET', path: '/log?follow=true', headers, signal });
  if (!('socket' in answer)) throw new Error(`Refused with ${answer.status}`);
  return { socket: answer.socket, protocol: String(answer.headers['sec-websocket-protocol'] ?? '') };
}

async function framesOf(socket: Duplex): Promise<readonly unknown[]> {
  const reader = new FrameReader('server');
  const frames: unknown[] = [];
  for await (const chunk of socket) for (const word of reader.read(chunk as Buffer)) frames.push(seen(word));
  return frames;
}

function seen(word: FrameWord): unknown {
  if (word.type !== 'data') return word.type === 'close' ? ['close', word.code] : [word.type];
  return [word.isText ? 'text' : 'binary', Buffer.from(word.payload).toString()];
}

function chunk(text: string): string {
  return `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
}

function writeLog(connection: Duplex): void {
  connection.write(chunk('one\ntwo\n'));
  connection.write(chunk(''));
}

describe('a log over WebSocket', () => {
  test.each([
    [[], '', ['binary', 'one\ntwo\n']],
    [['binary.k8s.io'], 'binary.k8s.io', ['binary', 'one\ntwo\n']],
    [['other', 'base64.binary.k8s.io'], 'base64.binary.k8s.io', ['text', 'b25lCnR3bwo=']],
  ])('with the protocols %j: an empty message, the log, a normal close', async (offered, chosen, content) => {
    await using node = await ProxiedNode.start('log', writeLog, LOG_HEAD);
    const { socket, protocol } = await openLog(node, offered);
    expect(protocol).toBe(chosen);
    expect(await framesOf(socket)).toEqual([[content[0], ''], content, ['close', 1000]]);
  });

  test('is refused to a client that offers other protocols only', async () => {
    await using node = await ProxiedNode.start('log', writeLog, LOG_HEAD);
    await expect(openLog(node, ['v4.channel.k8s.io'])).rejects.toThrow('Refused with 403');
  });

  test('ends at the node when the client leaves', async () => {
    let connection: Duplex | undefined;
    const serve = (end: Duplex): void => void (connection = end).write(chunk('one\n'));
    await using node = await ProxiedNode.start('log', serve, LOG_HEAD);
    const { socket } = await openLog(node, ['binary.k8s.io']);
    await once(socket, 'data');
    socket.destroy();
    await node.untilOver();
    expect(connection?.destroyed).toBe(true);
  });
});
