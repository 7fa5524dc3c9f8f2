import type { Clock } from '../../base/index.ts';
import { type CallOptions, type Image, type ImageService, type ImageSpec, RuntimeError } from '../runtime/index.ts';
import { fullImageName, imageDigest, imageReference } from './image-name.ts';
import { pullScript } from './script.ts';

/** More images than this are not kept: the one pulled first goes. */
const MOST_IMAGES = 1000;
const MEBIBYTE = 1 << 20;

/** Images that are names only. Each can be pulled, unless the pod's script says that it cannot. */
export class SimulatedImages implements ImageService {
  readonly #clock: Clock;
  readonly #images = new Map<string, Image>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async listImages(): Promise<readonly Image[]> {
    return [...this.#images.values()];
  }

  async imageStatus({ image }: ImageSpec): Promise<Image | undefined> {
    return this.#images.get(fullImageName(image));
  }

  async pullImage({ image, annotations = {} }: ImageSpec, { signal }: CallOptions = {}): Promise<string> {
    const { pullAfterMs, pullFails } = pullScript(annotations);
    if (pullAfterMs > 0) await this.#clock.sleep(pullAfterMs, signal);
    signal?.throwIfAborted();
    if (pullFails !== undefined) throw new RuntimeError('Failed', pullFails);
    return this.add(image);
  }

  async removeImage({ image }: ImageSpec): Promise<void> {
    this.#images.delete(fullImageName(image));
  }

  /** Says that an image is there, and answers with its digest. */
  add(image: string): string {
    const name = fullImageName(image);
    const reference = imageReference(name);
    const id = imageDigest(name);
    if (this.#images.size >= MOST_IMAGES && !this.#images.has(name)) this.#removeOldest();
    this.#images.set(name, {
      id,
      repoTags: name.includes('@') ? [] : [name],
      repoDigests: [reference],
      size: sizeFor(id),
    });
    return reference;
  }

  #removeOldest(): void {
    for (const name of this.#images.keys()) {
      this.#images.delete(name);
      return;
    }
  }
}

/** From 1 to 256 MiB, the same for the same image. */
function sizeFor(digest: string): number {
  return (Number.parseInt(digest.slice(-2), 16) + 1) * MEBIBYTE;
}
