import type { AgentMetrics } from '../agent-metrics.ts';
import { type Clock, type Duration, millisecondsOf } from '../../base/index.ts';
import {
  type ContainerStatus,
  type Image,
  type ImageService,
  isRuntimeNotFound,
  type RuntimeService,
} from '../runtime/index.ts';

/** Disk usage from which images are removed, and the usage to bring the disk down to. */
export const HIGH_THRESHOLD_PERCENT = 85;
export const LOW_THRESHOLD_PERCENT = 80;
export const MIN_AGE_MS = 120_000;

/** When images are removed, as in a KubeletConfiguration. */
export interface ImageLimits {
  /** `imageGCHighThresholdPercent`; default 85. 100 turns the removal by disk usage off. */
  readonly highPercent?: number;
  /** `imageGCLowThresholdPercent`; default 80. */
  readonly lowPercent?: number;
  /** `imageMinimumGCAge`; default 2m. */
  readonly minAge?: Duration;
  /** `imageMaximumGCAge`: unused images of this age are removed whatever the disk usage; default never. */
  readonly maxAge?: Duration;
}

export interface ImageCollectorParts {
  readonly clock: Clock;
  readonly images: ImageService;
  readonly runtime: Pick<RuntimeService, 'listContainers' | 'containerStatus'>;
  readonly limits?: ImageLimits | undefined;
  /** Called when too few images could be removed. */
  failed(message: string): void;
  readonly metrics: AgentMetrics;
}

/** Removes unused images when the disk fills up, least recently used first. */
export class ImageCollector {
  readonly #parts: ImageCollectorParts;
  /** When images were first seen, and last seen in use, by id. */
  readonly #seen = new Map<string, { readonly firstMs: number; readonly usedMs: number }>();

  constructor(parts: ImageCollectorParts) {
    this.#parts = parts;
  }

  async collect(): Promise<void> {
    const { images, clock, limits = {} } = this.#parts;
    const { highPercent = HIGH_THRESHOLD_PERCENT, lowPercent = LOW_THRESHOLD_PERCENT, minAge = MIN_AGE_MS } = limits;
    const nowMs = clock.now();
    const all = await images.listImages();
    await this.#note(all, nowMs);
    const listed = await this.#removeOld(all, nowMs);
    if (highPercent >= 100) return;
    const { capacityBytes, availableBytes } = await images.fsInfo();
    if (capacityBytes <= 0) return;
    const usedPercent = 100 - Math.trunc((availableBytes * 100) / capacityBytes);
    if (usedPercent < highPercent) return;
    const wantedBytes = Math.trunc((capacityBytes * (100 - lowPercent)) / 100) - availableBytes;
    const freedBytes = await this.#free(listed, wantedBytes, { nowMs, minAgeMs: millisecondsOf(minAge) });
    if (freedBytes >= wantedBytes) return;
    const words = `Attempted to free ${wantedBytes} bytes, but only found ${freedBytes} bytes eligible to free.`;
    this.#parts.failed(`Failed to garbage collect required amount of images. ${words}`);
  }

  /** Removes images that were not used for too long; returns the others. */
  async #removeOld(images: readonly Image[], nowMs: number): Promise<readonly Image[]> {
    const maxAgeMs = millisecondsOf(this.#parts.limits?.maxAge ?? 0);
    if (maxAgeMs <= 0) return images;
    const kept: Image[] = [];
    for (const image of images) {
      const { firstMs, usedMs } = this.#seen.get(image.id) ?? { firstMs: nowMs, usedMs: nowMs };
      if (nowMs - Math.max(firstMs, usedMs) <= maxAgeMs) kept.push(image);
      else await this.#remove(image, 'age');
    }
    return kept;
  }

  async #remove({ id, repoTags, repoDigests }: Image, reason: 'age' | 'space'): Promise<void> {
    await this.#parts.images.removeImage({ image: repoTags[0] ?? repoDigests[0] ?? id });
    this.#parts.metrics.add('kubelet_image_garbage_collected_total', { reason });
  }

  /** Removes all images that no container uses, whatever their age. */
  async removeUnused(): Promise<void> {
    const listed = await this.#parts.images.listImages();
    const nowMs = this.#parts.clock.now();
    await this.#note(listed, nowMs);
    await this.#free(listed, Infinity, { nowMs, minAgeMs: 0 });
  }

  /** Records which images there are, and which of them containers run or mount now. */
  async #note(images: readonly Image[], nowMs: number): Promise<void> {
    const ids = new Set(images.map(({ id }) => id));
    for (const id of this.#seen.keys()) if (!ids.has(id)) this.#seen.delete(id);
    if (images.length === 0) return;
    const containers = await this.#parts.runtime.listContainers();
    const used = new Set(containers.flatMap((each) => [each.imageRef, each.image.image]));
    for (const container of containers) for (const id of await this.#mounted(container)) used.add(id);
    for (const { id, repoTags, repoDigests } of images) {
      const isUsed = [id, ...repoTags, ...repoDigests].some((name) => used.has(name));
      const { firstMs, usedMs } = this.#seen.get(id) ?? { firstMs: nowMs, usedMs: 0 };
      this.#seen.set(id, { firstMs, usedMs: isUsed ? nowMs : usedMs });
    }
  }

  /** The images that a container has mounted as volumes. */
  async #mounted({ id, mountedImages }: ContainerStatus): Promise<readonly string[]> {
    if (mountedImages !== undefined) return mountedImages;
    try {
      return (await this.#parts.runtime.containerStatus(id)).mountedImages ?? [];
    } catch (error) {
      if (isRuntimeNotFound(error)) return []; // removed meanwhile
      throw error;
    }
  }

  async #free(
    images: readonly Image[],
    wantedBytes: number,
    { nowMs, minAgeMs }: { readonly nowMs: number; readonly minAgeMs: number },
  ): Promise<number> {
    const candidates = images
      .map((image) => ({ ...image, ...(this.#seen.get(image.id) ?? { firstMs: nowMs, usedMs: nowMs }) }))
      .filter(({ firstMs, usedMs }) => usedMs < nowMs && nowMs - firstMs >= minAgeMs)
      .toSorted((left, right) => left.usedMs - right.usedMs || left.firstMs - right.firstMs);
    let freedBytes = 0;
    for (const image of candidates) {
      if (freedBytes >= wantedBytes) break;
      await this.#remove(image, 'space');
      freedBytes += image.size;
    }
    return freedBytes;
  }
}
