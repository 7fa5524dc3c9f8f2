import { expect, test } from 'vitest';
import { VirtualClock } from '../../base/index.ts';
import type { Image, ImageService, RuntimeService } from '../runtime/index.ts';
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
  const runtime = { listContainers: async () => [{ imageRef: 'used', image: { image: 'used' } }] };
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

function image(id: string): Image {
  return { id, repoTags: [id], repoDigests: [], size: 10 };
}
