import type { CallOptions, FilesystemUsage, Image, ImageService, ImageSpec, PullOptions } from '../node/index.ts';
import { statfs } from 'node:fs/promises';
import type { CriCalls } from './cri-calls.ts';
import { image } from './from-messages.ts';
import { ImageService as methods } from './protocol/runtime-v1.ts';
import { authMessage, imageMessage, sandboxMessage } from './to-messages.ts';

/** The images of a container runtime behind a socket. */
export class CriImages implements ImageService {
  readonly #calls: CriCalls;

  constructor(calls: CriCalls) {
    this.#calls = calls;
  }

  async listImages(options?: CallOptions): Promise<readonly Image[]> {
    const { images = [] } = await this.#calls.call(methods.listImages, {}, options);
    return images.map(image);
  }

  async imageStatus(spec: ImageSpec, options?: CallOptions): Promise<Image | undefined> {
    const { image: found } = await this.#calls.call(methods.imageStatus, { image: imageMessage(spec) }, options);
    return found === undefined ? undefined : image(found);
  }

  /** Pulls have no time limit: large images take long, and the signal ends those that are no longer wanted. */
  async pullImage(spec: ImageSpec, { auth, sandboxConfig, ...options }: PullOptions = {}): Promise<string> {
    const request = {
      image: imageMessage(spec),
      ...(auth === undefined ? {} : { auth: authMessage(auth) }),
      ...(sandboxConfig === undefined ? {} : { sandboxConfig: sandboxMessage(sandboxConfig) }),
    };
    const { imageRef = '' } = await this.#calls.call(methods.pullImage, request, { ...options, extraMs: Infinity });
    return imageRef;
  }

  async removeImage(spec: ImageSpec, options?: CallOptions): Promise<void> {
    await this.#calls.call(methods.removeImage, { image: imageMessage(spec) }, options);
  }

  async fsInfo(options?: CallOptions): Promise<FilesystemUsage> {
    const { imageFilesystems = [] } = await this.#calls.call(methods.imageFsInfo, {}, options);
    const mountpoint = imageFilesystems[0]?.fsId?.mountpoint ?? '/';
    const { bsize, blocks, bavail } = await statfs(mountpoint);
    return { mountpoint, capacityBytes: blocks * bsize, availableBytes: bavail * bsize };
  }
}
