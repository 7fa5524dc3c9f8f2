import type { Clock } from '../../base/index.ts';
import type { Observed, Pod } from '../../client/index.ts';
import type { AuthConfig, ImageService, ImageSpec, PodSandboxConfig } from '../runtime/index.ts';
import { credentialsOf, matchingCredentials } from './registry-credentials.ts';

export interface ImagePullerParts {
  readonly clock: Clock;
  readonly images: ImageService;
  /** Maximum number of concurrent pulls; further pulls wait in order of arrival. */
  readonly maxParallel: number;
  /** The data of a Secret, in base64; undefined when there is none. */
  secret(namespace: string, name: string): Promise<Readonly<Record<string, string>> | undefined>;
}

export interface PullResult {
  /** Duration of the pull, without and with the time spent waiting for other pulls. */
  readonly tookMs: number;
  readonly waitedMs: number;
}

/** Pulls images with the credentials of pods, a limited number at a time. */
export class ImagePuller {
  readonly #parts: ImagePullerParts;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(parts: ImagePullerParts) {
    this.#parts = parts;
  }

  /** The pod's credentials for an image, and the names of its pull secrets that do not exist. */
  async credentials(
    { metadata, spec }: Observed<Pod>,
    image: string,
  ): Promise<{ readonly auths: readonly AuthConfig[]; readonly missing: readonly string[] }> {
    const names = (spec?.imagePullSecrets ?? []).flatMap(({ name = '' }) => (name === '' ? [] : [name]));
    if (names.length === 0) return NO_CREDENTIALS;
    const found = await Promise.all(
      names.map(async (name) => ({ name, data: await this.#parts.secret(metadata.namespace ?? '', name) })),
    );
    const missing = found.flatMap(({ name, data }) => (data === undefined ? [name] : []));
    const all = found.flatMap(({ data }) => (data === undefined ? [] : credentialsOf(data)));
    return { auths: matchingCredentials(all, image), missing };
  }

  /** Tries one credential after the other. Throws the error of the last try. */
  async pull(
    image: ImageSpec,
    { auths, sandboxConfig }: { readonly auths: readonly AuthConfig[]; readonly sandboxConfig: PodSandboxConfig },
    signal: AbortSignal,
  ): Promise<PullResult> {
    const { clock, images } = this.#parts;
    const askedMs = clock.now();
    await this.#enter(signal);
    try {
      const beganMs = clock.now();
      const tries = auths.length === 0 ? [undefined] : auths;
      for (const [index, auth] of tries.entries()) {
        try {
          await images.pullImage(image, { signal, sandboxConfig, ...(auth === undefined ? {} : { auth }) });
          break;
        } catch (error) {
          if (signal.aborted || index === tries.length - 1) throw error;
        }
      }
      const nowMs = clock.now();
      return { tookMs: nowMs - beganMs, waitedMs: nowMs - askedMs };
    } finally {
      this.#leave();
    }
  }

  async #enter(signal: AbortSignal): Promise<void> {
    if (this.#running < this.#parts.maxParallel) {
      this.#running += 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const enter = (): void => {
        signal.removeEventListener('abort', giveUp);
        resolve();
      };
      const giveUp = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(enter), 1);
        reject(signal.reason as Error);
      };
      this.#waiting.push(enter);
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }

  /** Hands the slot to the pull that has waited longest. */
  #leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#running -= 1;
    else next();
  }
}

const NO_CREDENTIALS = { auths: [], missing: [] } as const;
