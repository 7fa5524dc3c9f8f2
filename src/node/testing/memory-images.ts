import type { FilesystemUsage, Image, ImageService, ImageSpec, PullOptions } from '../runtime/index.ts';

/** Bytes of each image. */
const SIZE = 10;

/** Images in memory, all of the same size, on a disk of 100 bytes. */
export class MemoryImages implements ImageService {
  /** The names of the images that are there. */
  readonly names: Set<string>;
  /** What else is on the disk, in bytes. */
  otherBytes = 0;
  /** Called before an image is pulled; may wait, or throw to fail the pull. */
  pulling: (image: ImageSpec, options: PullOptions) => Promise<void> = async () => undefined;

  constructor(names: Iterable<string> = []) {
    this.names = new Set(names);
  }

  async listImages(): Promise<readonly Image[]> {
    return [...this.names].map(imageOf);
  }

  async imageStatus({ image }: ImageSpec): Promise<Image | undefined> {
    return this.names.has(image) ? imageOf(image) : undefined;
  }

  async pullImage(spec: ImageSpec, options: PullOptions = {}): Promise<string> {
    await this.pulling(spec, options);
    this.names.add(spec.image);
    return spec.image;
  }

  async removeImage({ image }: ImageSpec): Promise<void> {
    this.names.delete(image);
  }

  async fsInfo(): Promise<FilesystemUsage> {
    const availableBytes = Math.max(0, 100 - this.otherBytes - SIZE * this.names.size);
    return { mountpoint: '/', capacityBytes: 100, availableBytes };
  }
}

function imageOf(id: string): Image {
  return { id, repoTags: [id], repoDigests: [], size: SIZE };
}
