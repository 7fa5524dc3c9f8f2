import { expect, test } from 'vitest';
import { agentMetrics } from '../agent-metrics.ts';
import { VirtualClock } from '../../base/index.ts';
import { type ContainerStatus, RuntimeError } from '../runtime/index.ts';
import { MemoryImages } from '../testing/memory-images.ts';
import { viewOf } from '../testing/pod-views.ts';
import { ImageCollector, type ImageCollectorParts } from './image-collector.ts';

test('images that no container uses go when the disk is full, once they are old enough', async () => {
  const clock = new VirtualClock();
  const images = new MemoryImages(['used', 'old', 'older']);
  const failures: string[] = [];
  const runtime = running(() => [{ imageRef: 'used' }]);
  const collector = new ImageCollector({
    clock,
    images,
    runtime,
    failed: (message) => failures.push(message),
    metrics: agentMetrics(),
  });
  images.otherBytes = 54; // 84 %
  await clock.advance('5m');
  await collector.collect();
  expect(images.names.size).toBe(3);
  images.otherBytes = 58; // 88 %, to be brought down to 80 %
  await clock.advance('5m');
  await collector.collect();
  expect([...images.names]).toEqual(['used', 'older']);
  expect(failures).toEqual([]);
  images.otherBytes = 80;
  await collector.collect();
  expect([...images.names]).toEqual(['used']);
  expect(failures).toEqual([
    'Failed to garbage collect required amount of images. Attempted to free 20 bytes, but only found 10 bytes eligible to free.',
  ]);
});

test('images are removed from exactly the upper threshold on, least recently used first', async () => {
  const clock = new VirtualClock();
  const images = new MemoryImages(['never', 'recent', 'early']);
  let inUse = 'early';
  const runtime = running(() => [{ imageRef: inUse }]);
  const collector = new ImageCollector({ clock, images, runtime, failed: () => undefined, metrics: agentMetrics() });
  await collector.collect();
  inUse = 'recent';
  images.otherBytes = 54; // 84 %
  await clock.advance('5m');
  await collector.collect();
  expect([...images.names]).toEqual(['never', 'recent', 'early']);
  inUse = 'none';
  await clock.advance('5m');
  for (const left of [['recent', 'early'], ['recent'], []]) {
    images.otherBytes = 85 - 10 * images.names.size; // 5 bytes are wanted, and an image has 10
    await collector.collect();
    expect([...images.names]).toEqual(left);
  }
});

test('images that are younger than two minutes stay', async () => {
  const clock = new VirtualClock();
  const failures: string[] = [];
  const images = new MemoryImages(['new']);
  images.otherBytes = 80;
  const runtime = running(() => []);
  const collector = new ImageCollector({
    clock,
    images,
    runtime,
    failed: (message) => failures.push(message),
    metrics: agentMetrics(),
  });
  await collector.collect();
  await clock.advance('119s');
  await collector.collect();
  expect([images.names.size, failures.length]).toEqual([1, 2]);
  await clock.advance('1s');
  await collector.collect();
  expect([images.names.size, failures.length]).toEqual([0, 2]);
});

test('images that were not used for longer than allowed go, however empty the disk is', async () => {
  const clock = new VirtualClock();
  const images = new MemoryImages(['used', 'unused']);
  const runtime = running(() => [{ imageRef: 'used' }]);
  const parts = { clock, images, runtime, failed: () => undefined, metrics: agentMetrics() };
  const collector = new ImageCollector({ ...parts, limits: { maxAge: '1h' } });
  await collector.collect();
  await clock.advance('1h');
  await collector.collect();
  expect([...images.names]).toEqual(['used', 'unused']);
  await clock.advance('1s');
  await collector.collect();
  expect([...images.names]).toEqual(['used']);
});

test('images that a container mounts stay, whether the runtime tells it in its lists or only when asked', async () => {
  const clock = new VirtualClock();
  const images = new MemoryImages(['listed', 'asked', 'unused']);
  const runtime = running(() => [
    { id: 'a', mountedImages: ['listed'] },
    { id: 'b', mountedImages: undefined },
    { id: 'gone', mountedImages: undefined },
  ]);
  const containerStatus = async (id: string): Promise<ContainerStatus> => {
    if (id !== 'b') throw new RuntimeError('NotFound', `there is no ${id}`);
    return containerOf({ id, mountedImages: ['asked'] });
  };
  const parts = {
    clock,
    images,
    runtime: { ...runtime, containerStatus },
    failed: () => undefined,
    metrics: agentMetrics(),
  };
  await new ImageCollector(parts).removeUnused();
  expect([...images.names]).toEqual(['listed', 'asked']);
});

function running(containers: () => readonly Partial<ContainerStatus>[]): ImageCollectorParts['runtime'] {
  return {
    listContainers: async () => containers().map(containerOf),
    containerStatus: async (id) => containerOf({ id }),
  };
}

function containerOf(given: Partial<ContainerStatus>): ContainerStatus {
  const [container] = viewOf({ containers: [{ name: 'web', state: 'CONTAINER_RUNNING' }] }).containers;
  if (container === undefined) throw new Error('there is no container');
  return { ...container, mountedImages: [], ...given };
}
