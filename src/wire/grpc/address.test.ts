import { expect, test } from 'vitest';
import { formatAddress, parseAddress } from './address.ts';

test.each([
  [
    'https://etcd.example:2379',
    { type: 'tcp', host: 'etcd.example', port: 2379, isSecure: true, authority: 'etcd.example:2379' },
  ],
  [
    'http://127.0.0.1:2379',
    { type: 'tcp', host: '127.0.0.1', port: 2379, isSecure: false, authority: '127.0.0.1:2379' },
  ],
  ['localhost:80', { type: 'tcp', host: 'localhost', port: 80, isSecure: undefined, authority: 'localhost:80' }],
  ['http://[::1]:2379', { type: 'tcp', host: '::1', port: 2379, isSecure: false, authority: '[::1]:2379' }],
  ['unix:/run/x.sock', { type: 'unix', path: '/run/x.sock', isSecure: false, authority: 'localhost' }],
  ['unix:x.sock', { type: 'unix', path: 'x.sock', isSecure: false, authority: 'localhost' }],
])('parses %s', (text, address) => {
  expect(parseAddress(text)).toEqual(address);
  expect(formatAddress(parseAddress(text))).toBe(text);
});

test('an absolute socket path may be preceded by two slashes, and a URL followed by one', () => {
  expect(parseAddress('unix:///run/x.sock')).toEqual(parseAddress('unix:/run/x.sock'));
  expect(parseAddress('http://a:1/')).toEqual(parseAddress('http://a:1'));
});

test.each([
  '',
  'host',
  'http://host',
  'ftp://host:1',
  'host:0',
  'host:65536',
  'host:1/path',
  'a b:1',
  'unix:',
  'unix://host/x',
  'user@host:1',
])('rejects "%s"', (text) => {
  expect(() => parseAddress(text)).toThrow(/Cannot use address/);
});
