import { readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type * as core from '../../api/types/core/v1.d.ts';
import { type Clock, FolderChanges, type Logger, messageOf, type Runnable } from '../../base/index.ts';
import { apiReference } from './api-references.ts';
import { type ManifestSource, staticPod } from './static-pod.ts';

/**
 * Reads the pods of a manifest: one, or a list of them. `change` is applied to each after defaults were filled in and before it is checked.
 * Throws when there is no valid pod in it.
 */
export type ManifestReader = (bytes: Uint8Array, change: (pod: core.Pod) => core.Pod) => readonly core.Pod[];

export interface ManifestParts {
  readonly node: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly read: ManifestReader;
  /** Called with all pods of the source, at the first look and whenever it was read again. */
  found(pods: readonly core.Pod[]): void;
}

const MAX_BYTES = 10 * 1024 * 1024;
const FETCH_MS = 10_000;

/** Reads the manifests in a folder, or in a single file, whenever something changes there. */
export class ManifestFiles implements Runnable {
  readonly #path: string;
  readonly #everyMs: number;
  readonly #parts: ManifestParts;

  constructor(options: { readonly path: string; readonly everyMs: number }, parts: ManifestParts) {
    this.#path = options.path.replace(/(?<=.)\/+$/, '');
    this.#everyMs = options.everyMs;
    this.#parts = parts;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#parts;
    while (!signal.aborted) {
      using changes = new FolderChanges(await this.#watched(), { clock, maxWaitMs: this.#everyMs });
      try {
        this.#parts.found(await this.#pods());
      } catch (error) {
        log.warn('manifests of static pods cannot be read', { path: this.#path, error: messageOf(error) });
      }
      await changes.next(signal);
    }
  }

  /** Files of a folder come and go; a single file may be replaced. */
  async #watched(): Promise<string> {
    const found = await stat(this.#path).catch(() => undefined);
    return found?.isDirectory() === true ? this.#path : dirname(this.#path);
  }

  async #pods(): Promise<readonly core.Pod[]> {
    const found = await stat(this.#path).catch((error: unknown) => {
      if (isMissing(error)) return undefined;
      throw error;
    });
    if (found === undefined) return [];
    if (found.isFile()) return this.#podsOf(this.#path);
    if (!found.isDirectory()) throw new Error('path is not a directory or file');
    const names = (await readdir(this.#path)).filter((name) => !name.startsWith('.')).toSorted();
    const pods: core.Pod[] = [];
    for (const name of names) pods.push(...(await this.#tryFile(join(this.#path, name))));
    return pods;
  }

  /** A manifest that cannot be used does not keep the others from being used. */
  async #tryFile(path: string): Promise<readonly core.Pod[]> {
    try {
      const found = await stat(path);
      if (found.isFile()) return await this.#podsOf(path);
      this.#parts.log.warn('manifest of static pods is not a file', { path });
    } catch (error) {
      if (!isMissing(error)) this.#parts.log.warn('manifest cannot be used', { path, error: messageOf(error) });
    }
    return [];
  }

  async #podsOf(path: string): Promise<readonly core.Pod[]> {
    const { size } = await stat(path);
    if (size > MAX_BYTES) throw new Error(`the file has ${size} bytes, more than ${MAX_BYTES}`);
    const pods = podsOf(await readFile(path), { type: 'file', path }, this.#parts);
    if (pods.length !== 1) throw new Error(`expected one pod, found ${pods.length}`);
    return pods;
  }
}

export interface ManifestUrlOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, readonly string[]>>;
  readonly everyMs: number;
}

/** Fetches a manifest, or a list of pods, from a URL in regular intervals. */
export class ManifestUrl implements Runnable {
  readonly #options: ManifestUrlOptions;
  readonly #parts: ManifestParts;
  #known: Buffer | undefined;

  constructor(options: ManifestUrlOptions, parts: ManifestParts) {
    this.#options = options;
    this.#parts = parts;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#parts;
    const { url, everyMs } = this.#options;
    while (!signal.aborted) {
      try {
        await this.#look(signal);
      } catch (error) {
        if (!signal.aborted) log.warn('static pods cannot be fetched', { url, error: messageOf(error) });
      }
      await clock.sleep(everyMs, signal);
    }
  }

  async #look(signal: AbortSignal): Promise<void> {
    const { url } = this.#options;
    const bytes = await this.#fetch(signal);
    if (bytes.length === 0) {
      this.#known = undefined;
      this.#parts.found([]);
      throw new Error('the answer is empty');
    }
    if (this.#known?.equals(bytes) === true) return;
    this.#known = bytes;
    this.#parts.found(podsOf(bytes, { type: 'http', url }, this.#parts));
  }

  async #fetch(signal: AbortSignal): Promise<Buffer> {
    const { url, headers } = this.#options;
    const limit = new AbortController();
    using _timer = this.#parts.clock.timer(FETCH_MS, () => limit.abort(new Error(`no answer within ${FETCH_MS} ms`)));
    const pairs = Object.entries(headers).flatMap(([name, values]) =>
      values.map((value): [string, string] => [name, value]),
    );
    const answer = await fetch(url, { headers: pairs, signal: AbortSignal.any([signal, limit.signal]) });
    if (answer.status !== 200) {
      await answer.body?.cancel();
      throw new Error(`the server answered ${answer.status} ${answer.statusText}`);
    }
    const parts: Uint8Array[] = [];
    let length = 0;
    for await (const part of answer.body ?? []) {
      length += part.length;
      if (length > MAX_BYTES) throw new Error(`the answer has more than ${MAX_BYTES} bytes`);
      parts.push(part);
    }
    return Buffer.concat(parts);
  }
}

function podsOf(bytes: Uint8Array, source: ManifestSource, { node, clock, read }: ManifestParts): readonly core.Pod[] {
  const pods = read(bytes, (pod) => staticPod(pod, { node, source, nowMs: clock.now() }));
  for (const pod of pods) {
    const reference = apiReference(pod);
    if (reference !== undefined) throw new Error(`static pods may not reference ${reference}`);
  }
  return pods;
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
