import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ImageRegistry, startRegistry } from './image-registry.ts';
import { text, withFiles } from './images/layer-files.ts';
import { OciLayout } from './images/oci-layout.ts';

let folder: string;
let registry: ImageRegistry;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keelson-registry-'));
  await mkdir(join(folder, 'scratch'));
  const layout = await OciLayout.create(join(folder, 'layout'));
  const layer = await withFiles({ 'etc/motd': text('hello\n') }, join(folder, 'scratch'), (at) => layout.layer(at));
  await layout.image('example.test/tools/hello:1', [layer], { Cmd: ['cat', '/etc/motd'] });
  await layout.pack(join(folder, 'images.tar'));
  registry = await startRegistry(join(folder, 'layout'), 'example.test');
});

afterAll(async () => {
  await registry[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

interface Manifest {
  readonly config: { readonly digest: string };
  readonly layers: readonly { readonly digest: string; readonly size: number }[];
}

test('a manifest is found by tag and by digest', async () => {
  const byTag = await fetch(`${registry.url}/v2/tools/hello/manifests/1`);
  const digest = byTag.headers.get('docker-content-digest') ?? '';
  const byDigest = await fetch(`${registry.url}/v2/tools/hello/manifests/${digest}`);

  expect(byTag.headers.get('content-type')).toBe('application/vnd.oci.image.manifest.v1+json');
  expect(await byDigest.text()).toBe(await byTag.text());
});

test('the blobs of a manifest can be fetched, and HEAD gives their size alone', async () => {
  const { config, layers } = (await (await fetch(`${registry.url}/v2/tools/hello/manifests/1`)).json()) as Manifest;
  const settings = (await (await fetch(`${registry.url}/v2/tools/hello/blobs/${config.digest}`)).json()) as {
    config: { Cmd: string[] };
  };
  const head = await fetch(`${registry.url}/v2/tools/hello/blobs/${layers[0]?.digest}`, { method: 'HEAD' });

  expect(settings.config.Cmd).toEqual(['cat', '/etc/motd']);
  expect(head.headers.get('content-length')).toBe(String(layers[0]?.size));
});

test('what the layout does not have is not found, and nothing outside it is reached', async () => {
  await writeFile(join(folder, 'secret'), 'x');
  for (const path of [
    'tools/hello/manifests/2',
    'other/manifests/1',
    `a/blobs/sha256:${'0'.repeat(64)}`,
    'a/blobs/..%2Fsecret',
  ])
    expect((await fetch(`${registry.url}/v2/${path}`)).status).toBe(404);
});

test('the same files make the same image', async () => {
  const again = await OciLayout.create(join(folder, 'again'));
  const layer = await withFiles({ 'etc/motd': text('hello\n') }, join(folder, 'scratch'), (at) => again.layer(at));
  const { layers } = (await (await fetch(`${registry.url}/v2/tools/hello/manifests/1`)).json()) as Manifest;

  expect(layer.descriptor.digest).toBe(layers[0]?.digest);
});

test('a registry with a login serves nothing without it', async () => {
  const login = { username: 'node', password: 'secret' };
  await using closed = await startRegistry(join(folder, 'layout'), 'example.test', { login });
  const path = `${closed.url}/v2/tools/hello/manifests/1`;
  const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;

  const refused = await fetch(path);
  const wrong = await fetch(path, { headers: { authorization: basic('node:guess') } });
  const right = await fetch(path, { headers: { authorization: basic('node:secret') } });

  expect([refused.status, wrong.status, right.status]).toEqual([401, 401, 200]);
  expect(refused.headers.get('www-authenticate')).toBe('Basic realm="images"');
});
