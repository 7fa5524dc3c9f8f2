import { STATUS_CODES } from 'node:http';
import { expect, test } from 'vitest';
import { handshake, type ProtocolChoice, wantsWebSocket } from './handshake.ts';

const good: Readonly<Record<string, string>> = {
  connection: 'keep-alive, Upgrade',
  upgrade: 'WebSocket',
  origin: 'https://localhost',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
};

function answerTo(changes: Readonly<Record<string, string | undefined>>, choose?: ProtocolChoice): string {
  const sent = { ...good, ...changes };
  const { code, headers, body } = handshake((name) => sent[name], choose);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${code} ${STATUS_CODES[code]}\r\n${lines.join('')}\r\n${body}`;
}

// The responses are those of kube-apiserver 1.36.3, byte by byte.
test('a valid request is accepted, with the accept value of RFC 6455', () => {
  expect(answerTo({})).toBe(
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n',
  );
});

test('any requested protocol is accepted', () => {
  expect(answerTo({ 'sec-websocket-protocol': 'base64.binary.k8s.io' })).toContain(
    '\r\nSec-WebSocket-Protocol: base64.binary.k8s.io\r\n\r\n',
  );
});

test.each([
  [{ 'sec-websocket-key': undefined }, 'HTTP/1.1 400 Bad Request\r\n\r\nmismatch challenge/response'],
  [
    { 'sec-websocket-version': '8' },
    'HTTP/1.1 400 Bad Request\r\nSec-WebSocket-Version: 13\r\n\r\nmissing or bad WebSocket Version',
  ],
  [{ origin: undefined }, 'HTTP/1.1 403 Forbidden\r\n\r\n'],
  [{ origin: '::::' }, 'HTTP/1.1 403 Forbidden\r\n\r\n'],
  [{ 'sec-websocket-protocol': 'a, b' }, 'HTTP/1.1 400 Bad Request\r\n\r\n'],
])('a request with %j is rejected', (changes, answer) => {
  expect(answerTo(changes)).toBe(answer);
});

test('with a choice of protocols no origin is needed, and a request without a supported protocol is rejected', () => {
  const v5: ProtocolChoice = (offered) => offered.find((name) => name === 'v5.channel.k8s.io');
  const sent = { origin: undefined, 'sec-websocket-protocol': 'v6.channel.k8s.io, v5.channel.k8s.io' };
  const deflate = { 'sec-websocket-extensions': 'permessage-deflate' };
  expect(answerTo({ ...sent, ...deflate }, v5)).toMatch(/Sec-WebSocket-Protocol: v5.channel.k8s.io\r\n\r\n$/);
  expect(answerTo({ 'sec-websocket-protocol': 'v4' }, v5)).toBe('HTTP/1.1 403 Forbidden\r\n\r\n');
});

test('a request is for WebSocket when both headers say so', () => {
  const wants = (changes: Readonly<Record<string, string>>): boolean => {
    const headers: Readonly<Record<string, string>> = { ...good, ...changes };
    return wantsWebSocket((name) => headers[name]);
  };
  expect([wants({}), wants({ upgrade: 'h2c' }), wants({ connection: 'close' })]).toEqual([true, false, false]);
});
