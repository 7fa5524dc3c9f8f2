import { expect, test } from 'vitest';
import { settle, VirtualClock } from '../../base/index.ts';
import type { PodSandboxConfig } from '../runtime/index.ts';
import { MemoryImages } from '../testing/memory-images.ts';
import { RequestRate } from '../request-rate.ts';
import { podOf } from '../testing/pod-views.ts';
import { ImagePuller } from './image-puller.ts';

const { signal } = new AbortController();
const sandboxConfig = {} as PodSandboxConfig;

test('no more images are pulled at once than allowed, and the wait is counted', async () => {
  const clock = new VirtualClock();
  let running = 0;
  let most = 0;
  const images = new MemoryImages();
  images.pulling = async () => {
    running += 1;
    most = Math.max(most, running);
    await clock.sleep(1000, signal);
    running -= 1;
  };
  const puller = new ImagePuller({ clock, images, maxParallel: 2, secret: async () => undefined });
  const pulls = ['a', 'b', 'c'].map((image) => puller.pull({ image }, { auths: [], sandboxConfig }, signal));
  await clock.advance('2s');
  await settle();
  expect(most).toBe(2);
  expect((await Promise.all(pulls)).map(({ tookMs, waitedMs }) => [tookMs, waitedMs])).toEqual([
    [1000, 1000],
    [1000, 1000],
    [1000, 2000],
  ]);
});

test('the credentials of the pod are tried one after the other; secrets that are not there are named', async () => {
  const tried: unknown[] = [];
  const images = new MemoryImages();
  images.pulling = async (_, { auth }) => {
    tried.push(auth?.username);
    if (auth?.username === 'team') throw new Error('denied');
  };
  const auths = { 'quay.io': { username: 'quay', password: 'x' }, 'quay.io/team': { username: 'team', password: 'x' } };
  const data = { '.dockerconfigjson': Buffer.from(JSON.stringify({ auths })).toString('base64') };
  const puller = new ImagePuller({
    clock: new VirtualClock(),
    images,
    maxParallel: 1,
    secret: async (_, name) => (name === 'pull' ? data : undefined),
  });
  const imagePullSecrets = [{ name: 'pull' }, { name: 'none' }];
  const pod = podOf({ spec: { imagePullSecrets, containers: [] } });
  const found = await puller.credentials(pod, 'quay.io/team/web');
  expect(found.missing).toEqual(['none']);
  await puller.pull({ image: 'quay.io/team/web' }, { auths: found.auths, sandboxConfig }, signal);
  expect(tried).toEqual(['team', 'quay']);
  images.pulling = async (_, { auth }) => {
    throw new Error(auth?.username === 'team' ? 'denied' : 'not found');
  };
  const pull = (auths: typeof found.auths): Promise<unknown> =>
    puller.pull({ image: 'quay.io/team/other' }, { auths, sandboxConfig }, signal);
  await expect(pull(found.auths)).rejects.toThrow('[denied, not found]');
  await expect(pull(found.auths.slice(0, 1))).rejects.toThrow(/^denied$/);
});

test("a pull beyond the rate fails in a kubelet's words, whatever its credentials, and later ones begin again", async () => {
  const clock = new VirtualClock();
  const images = new MemoryImages();
  let pulls = 0;
  images.pulling = async () => {
    pulls += 1;
    throw new Error('denied');
  };
  const rate = new RequestRate(clock, { perSecond: 1, burst: 1 });
  const puller = new ImagePuller({ clock, images, maxParallel: 5, rate, secret: async () => undefined });
  const auths = ['a', 'b'].map((username) => ({ auth: { username }, source: { type: 'node' } as const }));
  const pull = (): Promise<unknown> => puller.pull({ image: 'web' }, { auths, sandboxConfig }, signal);
  await expect(pull()).rejects.toThrow('denied');
  expect(pulls).toBe(2);
  await expect(pull()).rejects.toThrow('pull QPS exceeded');
  expect(pulls).toBe(2);
  await clock.advance('1s');
  await expect(pull()).rejects.toThrow('denied');
});
