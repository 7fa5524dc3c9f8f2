import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { findUpstreams, nameservers } from './resolv-conf.ts';
import { formatUpstream, parseUpstream } from './upstream-address.ts';

async function files(...texts: readonly (string | undefined)[]): Promise<readonly string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'keelson-dns-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return Promise.all(
    texts.map(async (text, index) => {
      const path = join(folder, `resolv-${index}.conf`);
      if (text !== undefined) await writeFile(path, text);
      return path;
    }),
  );
}

it('nameservers() reads addresses in order, each once, and nothing else', () => {
  const text = `# a comment
; another
search example.org
options ndots:5
nameserver 192.0.2.1
  nameserver\t2001:db8::1
nameserver 192.0.2.1
nameserver fe80::1%eth0
nameserver not-an-address
nameserver
`;
  expect(nameservers(text).map(formatUpstream)).toEqual(['192.0.2.1:53', '[2001:db8::1]:53', '[fe80::1%eth0]:53']);
});

it('findUpstreams() passes over a file that names only a stub on loopback, when another names more', async () => {
  const [stub = '', missing = '', real = ''] = await files(
    'nameserver 127.0.0.53\n',
    undefined,
    'nameserver 127.0.0.1\nnameserver 192.0.2.1\n',
  );
  expect(await findUpstreams([stub, missing, real])).toEqual({
    file: real,
    upstreams: [{ host: '192.0.2.1', port: 53 }],
  });
  expect(await findUpstreams([missing, stub])).toEqual({ file: stub, upstreams: [{ host: '127.0.0.53', port: 53 }] });
  expect(await findUpstreams([missing])).toEqual({ file: undefined, upstreams: [] });
});

it.each([
  ['192.0.2.1', '192.0.2.1:53'],
  ['192.0.2.1:5353', '192.0.2.1:5353'],
  ['2001:db8::1', '[2001:db8::1]:53'],
  ['[2001:db8::1]:5353', '[2001:db8::1]:5353'],
  ['[2001:db8::1]', '[2001:db8::1]:53'],
  ['example.org', undefined],
  ['192.0.2.1:0', undefined],
  ['192.0.2.1:99999', undefined],
  ['', undefined],
])('parseUpstream(%j) is %j', (text, expected) => {
  const upstream = parseUpstream(text);
  expect(upstream === undefined ? undefined : formatUpstream(upstream)).toBe(expected);
});
