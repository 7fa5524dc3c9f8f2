import { createHash } from 'node:crypto';
import type { AuthConfig, FilesystemUsage, Image, ImageService, ImageSpec, PullOptions } from '../../node/index.ts';

/** The image to pull, and the credentials for it. */
export interface PullRequest {
  readonly image: ImageSpec;
  readonly auth: AuthConfig | undefined;
  readonly signal: AbortSignal;
}

/** What a runtime reports of an image that it has pulled. */
export interface PulledImage {
  /** A digest: `sha256:…`; names with the same one are the same image. */
  readonly id: string;
  readonly size: number;
}

/** When there are more images, the one that was pulled first is removed. */
const MAX_IMAGES = 1000;
const NEVER_FULL_BYTES = 2 ** 40;

/** The images of a runtime, by id and by the names that they were pulled under. */
export class KeptImages implements ImageService {
  readonly #pull: (request: PullRequest) => Promise<PulledImage>;
  readonly #images = new Map<string, Image>();

  constructor(pull: (request: PullRequest) => Promise<PulledImage> = makeUp) {
    this.#pull = pull;
  }

  async listImages(): Promise<readonly Image[]> {
    return [...this.#images.values()];
  }

  async imageStatus({ image }: ImageSpec): Promise<Image | undefined> {
    return this.#images.get(image) ?? this.#named(image);
  }

  async pullImage(
    image: ImageSpec,
    { auth, signal = new AbortController().signal }: PullOptions = {},
  ): Promise<string> {
    const { id, size } = await this.#pull({ image, auth, signal });
    const known = this.#images.get(id);
    const oldest =
      known === undefined && this.#images.size >= MAX_IMAGES ? this.#images.keys().next().value : undefined;
    if (oldest !== undefined) this.#images.delete(oldest);
    const tag = tagged(image.image);
    const tags = new Set([...(known?.repoTags ?? []), ...(tag.includes('@') ? [] : [tag])]);
    const digests = new Set([...(known?.repoDigests ?? []), `${nameOf(tag)}@${id}`]);
    this.#images.set(id, { id, size, repoTags: [...tags], repoDigests: [...digests] });
    return id;
  }

  async removeImage(spec: ImageSpec): Promise<void> {
    const found = await this.imageStatus(spec);
    if (found !== undefined) this.#images.delete(found.id);
  }

  async fsInfo(): Promise<FilesystemUsage> {
    return { mountpoint: '/', capacityBytes: NEVER_FULL_BYTES, availableBytes: NEVER_FULL_BYTES };
  }

  #named(image: string): Image | undefined {
    const name = tagged(image);
    return [...this.#images.values()].find(
      ({ repoTags, repoDigests }) => repoTags.includes(name) || repoDigests.includes(image),
    );
  }
}

/** An image that is only a name. */
async function makeUp({ image }: PullRequest): Promise<PulledImage> {
  const name = tagged(image.image);
  const digest = /@(sha256:[0-9a-f]{64})$/.exec(name)?.[1];
  return { id: digest ?? `sha256:${createHash('sha256').update(name).digest('hex')}`, size: 1024 * 1024 };
}

function tagged(image: string): string {
  const last = image.slice(image.lastIndexOf('/') + 1);
  return last.includes(':') || last.includes('@') ? image : `${image}:latest`;
}

/** The name without tag and digest. */
function nameOf(tag: string): string {
  const at = tag.indexOf('@');
  const name = at < 0 ? tag : tag.slice(0, at);
  const colon = name.indexOf(':', name.lastIndexOf('/') + 1);
  return colon < 0 ? name : name.slice(0, colon);
}
