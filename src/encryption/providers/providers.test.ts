import { describe, expect, test } from 'vitest';
import { aesCbc, aesGcm } from './aes.ts';
import { identity } from './identity.ts';
import { poly1305 } from './poly1305.ts';
import type { Provider } from './provider.ts';
import { ProviderChain } from './provider-chain.ts';
import { openBox, sealBox, secretbox } from './secretbox.ts';

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(/\s/g, ''), 'hex');
const KEY = '/registry/secrets/default/a';
const secret = Buffer.alloc(32, 7);
const value = Buffer.from('{"kind":"Secret"}');

test('Poly1305 gives the tags of RFC 8439', () => {
  const key = hex('85d6be7857556d337f4452fe42d506a8 0103808afb0db2fd4abff6af4149f51b');
  const tag = poly1305(Buffer.from('Cryptographic Forum Research Group'), key);
  expect(Buffer.from(tag).toString('hex')).toBe('a8061dc1305136c6c22b8baf0c0127a9');
  // A.3, #7 to #10: sums that wrap around 2¹³⁰ - 5.
  const one = (r: string, s: string, data: string): string =>
    Buffer.from(poly1305(hex(data), hex(r.padEnd(32, '0') + s.padEnd(32, '0')))).toString('hex');
  expect(one('01', '', `${'ff'.repeat(16)}f0${'ff'.repeat(15)}11${'00'.repeat(15)}`)).toBe(`05${'00'.repeat(15)}`);
  expect(one('01', '', `${'ff'.repeat(16)}fb${'fe'.repeat(15)}${'01'.repeat(16)}`)).toBe('00'.repeat(16));
  expect(one('02', '', `fd${'ff'.repeat(15)}`)).toBe(`fa${'ff'.repeat(15)}`);
});

test('a box is the one of NaCl’s documentation', () => {
  const key = hex('1b27556473e985d462cd51197a9a46c76009549eac6474f206c4ee0844f68389');
  const nonce = hex('69696ee955b62b73cd62bda875fc73d68219e0036b7a0b37');
  const message = hex(`be075fc53c81f2d5cf141316ebeb0c7b5228c52a4c62cbd44b66849b64244ffc
    e5ecbaaf33bd751a1ac728d45e6c61296cdc3c01233561f41db66cce314adb31
    0e3be8250c46f06dceea3a7fa1348057e2f6556ad6b1318a024a838f21af1fde
    048977eb48f59ffd4924ca1c60902e52f0a089bc76897040e082f93776384864 5e0705`);
  const box = sealBox(message, nonce, key);
  expect(box.toString('hex')).toBe(
    hex(`f3ffc7703f9400e52a7dfb4b3d3305d98e993b9f48681273c29650ba32fc76ce
      48332ea7164d96a4476fb8c531a1186ac0dfc17c98dce87b4da7f011ec48c972
      71d2c20f9b928fe2270d6fb863d51738b48eeee314a7cc8ab932164548e526ae
      90224368517acfeabd6bb3732bc0e9da99832b61ca01b6de56244a9e88d5f9b3
      7973f622a43d14a6599b1f654cb45a74e355a5`).toString('hex'),
  );
  expect(openBox(box, nonce, key)).toEqual(message);
});

const providers: readonly (readonly [string, (key: Buffer) => Provider])[] = [
  ['aesgcm', (key) => aesGcm('a:', key)],
  ['aescbc', (key) => aesCbc('a:', key)],
  ['secretbox', (key) => secretbox('a:', key)],
];

describe.each(providers)('%s', (name, make) => {
  test.each([0, 1, 15, 16, 17, 63, 64, 65, 1000, 100_000])('opens what it has sealed, %i bytes', async (length) => {
    const plain = Buffer.alloc(length, 'x');
    const { value: opened, isStale } = await make(secret).open(make(secret).seal(plain, KEY), KEY);
    expect(Buffer.from(opened).equals(plain)).toBe(true);
    expect(isStale).toBe(false);
  });

  test('never opens what was changed, cut or sealed with another key, and fails at once', () => {
    const provider = make(secret);
    const sealed = Buffer.from(provider.seal(value, KEY));
    const broken = [
      ...Array.from(sealed, (_byte, index) => {
        const changed = Buffer.from(sealed);
        changed[index] = (changed[index] ?? 0) ^ 1;
        return changed;
      }),
      ...Array.from(sealed, (_byte, index) => sealed.subarray(0, index)),
    ];
    for (const damaged of broken) {
      let opened: unknown;
      try {
        opened = provider.open(damaged, KEY);
      } catch (error) {
        expect(error).toBeInstanceOf(Error);
        continue;
      }
      expect(name).toBe('aescbc'); // which is not authenticated, as in upstream
      expect(opened).not.toEqual({ value, isStale: false });
    }
    const otherKey = make(Buffer.alloc(32, 8));
    if (name !== 'aescbc') expect(() => otherKey.open(sealed, KEY)).toThrow();
    if (name === 'aesgcm') expect(() => provider.open(sealed, `${KEY}b`)).toThrow('message authentication failed');
  });
});

describe('a chain', () => {
  const old = aesGcm('one:', secret);
  const current = aesGcm('two:', Buffer.alloc(16, 1));
  const chain = new ProviderChain('', [current, old, identity], 'no matching prefix found');

  test('writes with its first provider and reads all; what others wrote is stale', async () => {
    const sealed = chain.seal(value, KEY);
    expect(Buffer.from(sealed).toString('latin1')).toMatch(/^two:/);
    expect(await chain.open(sealed, KEY)).toEqual({ value, isStale: false });
    const before = new ProviderChain('', [old], '').seal(value, KEY);
    expect(await chain.open(before, KEY)).toEqual({ value, isStale: true });
    expect(await chain.open(value, KEY)).toEqual({ value, isStale: true });
  });

  test('reports why no provider could read a value', () => {
    const encrypted = Buffer.from('k8s:enc:kms:v2:x:data');
    expect(() => chain.open(encrypted, KEY)).toThrow('no matching prefix found');
    const strict = new ProviderChain('', [current, old], '');
    expect(() => strict.open(Buffer.from('two:short'), KEY)).toThrow('shorter than the required size');
    const twice = new ProviderChain('', [aesGcm('two:', secret), current], '');
    const sealed = new ProviderChain('', [aesGcm('two:', Buffer.alloc(24, 9))], '').seal(value, KEY);
    expect(() => twice.open(sealed, KEY)).toThrow('cipher: message authentication failed');
  });

  test('asks the next provider of the same prefix when the first cannot read', async () => {
    const sealed = new ProviderChain('', [aesGcm('two:', secret)], '').seal(value, KEY);
    const both = new ProviderChain('', [current, aesGcm('two:', secret)], '');
    expect(await both.open(sealed, KEY)).toEqual({ value, isStale: true });
  });
});
