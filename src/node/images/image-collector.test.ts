import { expect, test } from 'vitest';
import { VirtualClock } from '../../base/index.ts';
import { type Image, type ImageService, RuntimeError, type RuntimeService } from '../runtime/index.ts';
import { ImageCollector } from './image-collector.ts';

test('images that no container uses go when the disk is full, once they are old enough', async () => {
  const clock = new VirtualClock();
  const present = new Map(['used', 'old', 'older'].map((id): [string, Image] => [id, image(id)]));
  const failures: string[] = [];
  let otherBytes = 0;
  const images = {
    listImages: async () => [...present.values()],
    removeImage: async ({ image: id }: { readonly image: string }) => void present.delete(id),
    fsInfo: async () => ({ mountpoint: '/', capacityBytes: 100, availableBytes: 100 - otherBytes - 10 * present.size }),
  } as unknown as ImageService;
  const runtime = { listContainers: async () => [{ imageRef: 'used', image: { image: 'used' }, mountedImages: [] }] };
  const collector = new ImageCollector({
    clock,
    images,
    runtime: runtime as unknown as RuntimeService,
    failed: (message) => failures.push(message),
  });
  otherBytes = 54; // 84 %
  await clock.advance('5m');
  await collector.collect();
  expect(present.size).toBe(3);
  otherBytes = 58; // 88 %, to be brought down to 80 %
  await clock.advance('5m');
  await collector.collect();
  expect([...present.keys()]).toEqual(['used', 'older']);
  expect(failures).toEqual([]);
  otherBytes = 80;
  await collector.collect();
  expect([...present.keys()]).toEqual(['used']);
  expect(failures).toEqual([
    'Failed to garbage collect required amount of images. Attempted to free 20 bytes, but only found 10 bytes eligible to free.',
  ]);
});

test('images are removed from exactly the upper threshold on, least recently used first', async () => {
  const clock = new VirtualClock();
  const present = new Map(['never', 'recent', 'early'].map((id): [string, Image] => [id, image(id)]));
  let availableBytes = 16;
  let inUse = 'early';
  const images = {
    listImages: async () => [...present.values()],
    removeImage: async ({ image: id }: { readonly image: string }) => {
      present.delete(id);
      availableBytes += 2;
    },
    fsInfo: async () => ({ mountpoint: '/', capacityBytes: 100, availableBytes }),
  } as unknown as ImageService;
  const runtime = { listContainers: async () => [{ imageRef: inUse, image: { image: inUse }, mountedImages: [] }] };
  const parts = { clock, images, runtime: runtime as unknown as RuntimeService, failed: () => undefined };
  const collector = new ImageCollector(parts);
  await collector.collect();
  inUse = 'recent';
  await clock.advance('5m');
  await collector.collect(); // 84 %
  expect([...present.keys()]).toEqual(['never', 'recent', 'early']);
  inUse = 'none';
  await clock.advance('5m');
  for (const left of [['recent', 'early'], ['recent'], []]) {
    availableBytes = 15; // 85 %: 5 bytes are wanted, and an image has 10
    await collector.collect();
    expect([...present.keys()]).toEqual(left);
  }
});

test('images that are younger than two minutes stay', async () => {
  const clock = new VirtualClock();
  const failures: string[] = [];
  const present = [image('new')];
  const images = {
    listImages: async () => present,
    removeImage: async () => void present.pop(),
    fsInfo: async () => ({ mountpoint: '/', capacityBytes: 100, availableBytes: 10 }),
  } as unknown as ImageService;
  const runtime = { listContainers: async () => [] } as unknown as RuntimeService;
  const collector = new ImageCollector({ clock, images, runtime, failed: (message) => failures.push(message) });
  await collector.collect();
  await clock.advance('119s');
  await collector.collect();
  expect([present.length, failures.length]).toEqual([1, 2]);
  await clock.advance('1s');
  await collector.collect();
  expect([present.length, failures.length]).toEqual([0, 2]);
});

test('images that were not used for longer than allowed go, however empty the disk is', async () => {
  const clock = new VirtualClock();
  const present = new Map(['used', 'unused'].map((id): [string, Image] => [id, image(id)]));
  const images = {
    listImages: async () => [...present.values()],
    removeImage: async ({ image: id }: { readonly image: string }) => void present.delete(id),
    fsInfo: async () => ({ mountpoint: '/', capacityBytes: 100, availableBytes: 99 }),
  } as unknown as ImageService;
  const runtime = { listContainers: async () => [{ imageRef: 'used', image: { image: 'used' }, mountedImages: [] }] };
  const parts = { clock, images, runtime: runtime as unknown as RuntimeService, failed: () => undefined };
  const collector = new ImageCollector({ ...parts, limits: { maxAgeMs: 3_600_000 } });
  await collector.collect();
  await clock.advance('1h');
  await collector.collect();
  expect([...present.keys()]).toEqual(['used', 'unused']);
  await clock.advance('1s');
  await collector.collect();
  expect([...present.keys()]).toEqual(['used']);
});

test('images that a container mounts stay, whether the runtime tells it in its lists or only when asked', async () => {
  const clock = new VirtualClock();
  const present = new Map(['listed', 'asked', 'unused'].map((id): [string, Image] => [id, image(id)]));
  const images = {
    listImages: async () => [...present.values()],
    removeImage: async ({ image: id }: { readonly image: string }) => void present.delete(id),
  } as unknown as ImageService;
  const own = { imageRef: '', image: { image: '' } };
  const runtime = {
    listContainers: async () => [
      { ...own, id: 'a', mountedImages: ['listed'] },
      { ...own, id: 'b' },
      { ...own, id: 'gone' },
    ],
    containerStatus: async (id: string) => {
      if (id !== 'b') throw new RuntimeError('NotFound', `there is no ${id}`);
      return { ...own, id, mountedImages: ['asked'] };
    },
  } as unknown as RuntimeService;
  await new ImageCollector({ clock, images, runtime, failed: () => undefined }).removeUnused();
  expect([...present.keys()]).toEqual(['listed', 'asked']);
});

function image(id: string): Image {
  return { id, repoTags: [id], repoDigests: [], size: 10 };
}
