import { createHash } from 'node:crypto';
import type { Clock } from '../base/index.ts';
import {
  type CallOptions,
  type FilesystemUsage,
  type Image,
  type ImageService,
  type ImageSpec,
  RuntimeError,
} from '../node/index.ts';
import { pullScript } from './script.ts';

/** When there are more images, the one that was pulled first is removed. */
const MAX_IMAGES = 1000;
const MEBIBYTE = 1 << 20;
const NEVER_FULL_BYTES = 2 ** 40;

/** Images that are only names. Each can be pulled, unless the pod's script says otherwise. */
export class SimulatedImages implements ImageService {
  readonly #clock: Clock;
  readonly #diskBytes: number;
  readonly #images = new Map<string, Image>();

  /** The disk is never full by default. */
  constructor(clock: Clock, diskBytes = Infinity) {
    this.#clock = clock;
    this.#diskBytes = diskBytes;
  }

  async fsInfo(): Promise<FilesystemUsage> {
    const capacityBytes = this.#diskBytes === Infinity ? NEVER_FULL_BYTES : this.#diskBytes;
    const usedBytes =
      this.#diskBytes === Infinity ? 0 : [...this.#images.values()].reduce((total, { size }) => total + size, 0);
    return { mountpoint: '/', capacityBytes, availableBytes: Math.max(0, capacityBytes - usedBytes) };
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

  /** Adds an image and returns its digest. */
  add(image: string): string {
    const name = fullImageName(image);
    const reference = imageReference(name);
    const id = imageDigest(name);
    if (this.#images.size >= MAX_IMAGES && !this.#images.has(name)) this.#removeOldest();
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

const REGISTRY = 'docker.io';

/** The full name of an image: `nginx` is `docker.io/library/nginx:latest`. */
export function fullImageName(image: string): string {
  const slash = image.indexOf('/');
  const first = slash < 0 ? '' : image.slice(0, slash);
  const hasRegistry = /[.:]/.test(first) || first === 'localhost';
  const named = hasRegistry ? image : `${REGISTRY}/${slash < 0 ? 'library/' : ''}${image}`;
  const last = named.slice(named.lastIndexOf('/') + 1);
  return last.includes('@') || last.includes(':') ? named : `${named}:latest`;
}

/** A made-up digest, always the same for the same name. */
function imageDigest(fullName: string): string {
  const at = fullName.indexOf('@');
  if (at >= 0) return fullName.slice(at + 1);
  return `sha256:${createHash('sha256').update(fullName).digest('hex')}`;
}

/** The image by digest: `docker.io/library/nginx@sha256:…`. */
export function imageReference(fullName: string): string {
  const at = fullName.indexOf('@');
  const named = at < 0 ? fullName : fullName.slice(0, at);
  const colon = named.indexOf(':', named.lastIndexOf('/') + 1);
  return `${colon < 0 ? named : named.slice(0, colon)}@${imageDigest(fullName)}`;
}
