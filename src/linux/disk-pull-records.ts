import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PulledRecord, PullRecords } from '../node/index.ts';

const API_VERSION = 'kubelet.config.k8s.io/v1beta1';

/** Records of pulled images, as a kubelet keeps them below `image_manager` of its folder. */
export class DiskPullRecords implements PullRecords {
  readonly #pulling: string;
  readonly #pulled: string;
  #writes = 0;

  /** `root` is the agent's folder. */
  constructor(root: string) {
    this.#pulling = join(root, 'image_manager', 'pulling');
    this.#pulled = join(root, 'image_manager', 'pulled');
  }

  async pulled(imageRef: string): Promise<PulledRecord | undefined> {
    const text = await contentOf(join(this.#pulled, fileOf(imageRef)));
    if (text === undefined) return undefined;
    const record = JSON.parse(text) as Partial<PulledRecord>;
    const { lastUpdatedTime = '', credentialMapping = {} } = record;
    return record.imageRef === imageRef ? { lastUpdatedTime, imageRef, credentialMapping } : undefined;
  }

  async writePulled(record: PulledRecord): Promise<void> {
    await this.#write(this.#pulled, fileOf(record.imageRef), {
      kind: 'ImagePulledRecord',
      apiVersion: API_VERSION,
      ...record,
    });
  }

  async hasIntent(image: string): Promise<boolean> {
    const text = await contentOf(join(this.#pulling, fileOf(image)));
    return text !== undefined && (JSON.parse(text) as { readonly image?: unknown }).image === image;
  }

  async addIntent(image: string): Promise<void> {
    await this.#write(this.#pulling, fileOf(image), { kind: 'ImagePullIntent', apiVersion: API_VERSION, image });
  }

  async removeIntent(image: string): Promise<void> {
    await rm(join(this.#pulling, fileOf(image)), { force: true });
  }

  /** A crash leaves either the old or the new record. Pods that pull the same image at the same time write a file of their own each. */
  async #write(folder: string, name: string, content: object): Promise<void> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    this.#writes += 1;
    const unfinished = join(folder, `${name}.${this.#writes}.tmp`);
    await writeFile(unfinished, JSON.stringify(content), { mode: 0o600 });
    await rename(unfinished, join(folder, name));
  }
}

function fileOf(name: string): string {
  return `sha256-${createHash('sha256').update(name).digest('hex')}`;
}

async function contentOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
