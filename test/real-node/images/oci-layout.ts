import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { runProgram } from '../../../peers/index.ts';

const MANIFEST = 'application/vnd.oci.image.manifest.v1+json';
const CONFIG = 'application/vnd.oci.image.config.v1+json';
const LAYER = 'application/vnd.oci.image.layer.v1.tar+gzip';
const INDEX = 'application/vnd.oci.image.index.v1+json';
const CREATED = '2026-01-01T00:00:00Z';
const PATH = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

/** A layer that images may share. */
export interface Layer {
  readonly descriptor: Descriptor;
  /** Digest of the unpacked tar, by which the image's configuration names it. */
  readonly diffId: string;
}

/** How an image's containers start. */
export interface ImageSettings {
  readonly Entrypoint?: readonly string[];
  readonly Cmd?: readonly string[];
  readonly User?: string;
}

/**
 * Writes an OCI image layout. The same files make the same digests: times and owners are left out.
 *
 * Example: `image('example/a:1', [await layer(folder)], { Cmd: ['sh'] })`, then `pack(archive)`.
 */
export class OciLayout {
  readonly #folder: string;
  readonly #manifests: object[] = [];

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** An empty layout in place of what the folder held. */
  static async create(folder: string): Promise<OciLayout> {
    await rm(folder, { recursive: true, force: true });
    await mkdir(join(folder, 'blobs', 'sha256'), { recursive: true });
    return new OciLayout(folder);
  }

  get imageCount(): number {
    return this.#manifests.length;
  }

  /** A layer of all that the folder holds, owned by root. */
  async layer(folder: string): Promise<Layer> {
    const archive = join(this.#folder, 'layer.tar');
    const packed = join(this.#folder, 'layer.tar.gz');
    const flags = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner'];
    await runProgram(['tar', ...flags, '-C', folder, '-cf', archive, '.']);
    const diffId = await digestOf(archive);
    await pipeline(createReadStream(archive), createGzip({ level: 1 }), createWriteStream(packed));
    const digest = await digestOf(packed);
    const { size } = await stat(packed);
    await rename(packed, this.#blobPath(digest));
    await rm(archive);
    return { descriptor: { mediaType: LAYER, digest, size }, diffId };
  }

  async image(name: string, layers: readonly Layer[], settings: ImageSettings): Promise<void> {
    const platform = { architecture: process.arch === 'arm64' ? 'arm64' : 'amd64', os: 'linux' };
    const config = await this.#blob(CONFIG, {
      ...platform,
      created: CREATED,
      config: { Env: [PATH], WorkingDir: '/', ...settings },
      rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
      history: layers.map(() => ({ created: CREATED, created_by: name })),
    });
    const manifest = await this.#blob(MANIFEST, {
      schemaVersion: 2,
      mediaType: MANIFEST,
      config,
      layers: layers.map(({ descriptor }) => descriptor),
    });
    const annotations = { 'io.containerd.image.name': name, 'org.opencontainers.image.ref.name': name };
    this.#manifests.push({ ...manifest, platform, annotations });
  }

  /** Completes the layout with what has been added so far; more may follow. */
  async writeIndex(): Promise<void> {
    await writeFile(join(this.#folder, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }));
    const index = { schemaVersion: 2, mediaType: INDEX, manifests: this.#manifests };
    await writeFile(join(this.#folder, 'index.json'), JSON.stringify(index));
  }

  /** Completes the layout, and packs it into an archive that container runtimes import. */
  async pack(archive: string): Promise<void> {
    await this.writeIndex();
    await runProgram(['tar', '-C', this.#folder, '-cf', `${archive}.part`, '.']);
    await rename(`${archive}.part`, archive);
  }

  async #blob(mediaType: string, document: object): Promise<Descriptor> {
    const data = Buffer.from(JSON.stringify(document));
    const digest = `sha256:${createHash('sha256').update(data).digest('hex')}`;
    await writeFile(this.#blobPath(digest), data);
    return { mediaType, digest, size: data.length };
  }

  #blobPath(digest: string): string {
    return join(this.#folder, 'blobs', ...digest.split(':'));
  }
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return `sha256:${hash.digest('hex')}`;
}
