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

/** What is known of an image besides its name. Names with the same id are the same image. */
export type StatedImage = Partial<Pick<Image, 'id' | 'size' | 'uid' | 'username'>> & {
  /** How long it takes to pull it; default no time. */
  readonly pullMs?: number;
};

export interface SimulatedImagesOptions {
  /** How many bytes of images fit on the node; default any number. */
  readonly diskBytes?: number | undefined;
  /** Images by their full names; others have a made-up id and size, and no user. */
  readonly stated?: ReadonlyMap<string, StatedImage>;
}

/** Images that are only names. Each can be pulled, unless the pod's script says otherwise. */
export class SimulatedImages implements ImageService {
  readonly #clock: Clock;
  readonly #diskBytes: number;
  readonly #stated: ReadonlyMap<string, StatedImage>;
  /** By id. */
  readonly #images = new Map<string, Image>();
  /** Ids by full name, with tag or digest. */
  readonly #ids = new Map<string, string>();

  constructor(clock: Clock, { diskBytes = Infinity, stated = new Map() }: SimulatedImagesOptions = {}) {
    this.#clock = clock;
    this.#diskBytes = diskBytes;
    this.#stated = stated;
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
    return this.#images.get(this.#idOf(image) ?? '');
  }

  async pullImage({ image, annotations = {} }: ImageSpec, { signal }: CallOptions = {}): Promise<string> {
    const { pullAfterMs, pullFails } = pullScript(annotations);
    const pullMs = Math.max(pullAfterMs, this.#stated.get(fullImageName(image))?.pullMs ?? 0);
    if (pullMs > 0) await this.#clock.sleep(pullMs, signal);
    signal?.throwIfAborted();
    if (pullFails !== undefined) throw new RuntimeError('Failed', pullFails);
    return this.add(image);
  }

  /** Removes the image with all its names. */
  async removeImage({ image }: ImageSpec): Promise<void> {
    const id = this.#idOf(image);
    if (id !== undefined) this.#remove(id);
  }

  /** Adds an image and returns its digest. */
  add(image: string): string {
    const name = fullImageName(image);
    const stated = this.#stated.get(name);
    const reference = this.referenceOf(name);
    const id = stated?.id ?? imageDigest(name);
    const known = this.#images.get(id);
    if (known === undefined && this.#images.size >= MAX_IMAGES) this.#removeOldest();
    this.#images.set(id, {
      id,
      repoTags: name.includes('@') ? (known?.repoTags ?? []) : joined(known?.repoTags, name),
      repoDigests: joined(known?.repoDigests, reference),
      size: stated?.size ?? known?.size ?? sizeFor(id),
      ...(stated?.uid === undefined ? {} : { uid: stated.uid }),
      ...(stated?.username === undefined ? {} : { username: stated.username }),
    });
    this.#ids.set(name, id);
    this.#ids.set(reference, id);
    return reference;
  }

  /** The image of this full name by digest. */
  referenceOf(fullName: string): string {
    return imageReference(fullName, this.#stated.get(fullName)?.id);
  }

  /** By id, by the beginning of one as crictl shows it, or by name. */
  #idOf(image: string): string | undefined {
    if (this.#images.has(image)) return image;
    const named = this.#ids.get(fullImageName(image));
    if (named !== undefined || !/^[0-9a-f]{8,64}$/.test(image)) return named;
    return [...this.#images.keys()].find((id) => id.startsWith(`sha256:${image}`));
  }

  #removeOldest(): void {
    for (const id of this.#images.keys()) return this.#remove(id);
  }

  #remove(id: string): void {
    const { repoTags = [], repoDigests = [] } = this.#images.get(id) ?? {};
    for (const name of [...repoTags, ...repoDigests]) this.#ids.delete(name);
    this.#images.delete(id);
  }
}

function joined(names: readonly string[] = [], name: string): readonly string[] {
  return names.includes(name) ? names : [...names, name];
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
function imageReference(fullName: string, digest = imageDigest(fullName)): string {
  const at = fullName.indexOf('@');
  const named = at < 0 ? fullName : fullName.slice(0, at);
  const colon = named.indexOf(':', named.lastIndexOf('/') + 1);
  return `${colon < 0 ? named : named.slice(0, colon)}@${digest}`;
}
