import { type Clock, messageOf } from '../../base/index.ts';
import type { Observed, Pod } from '../../client/index.ts';
import type { AuthConfig, ImageService, ImageSpec, PodSandboxConfig } from '../runtime/index.ts';
import type { RequestRate } from '../request-rate.ts';
import type { PullVerification } from './pull-verification.ts';
import { credentialsOf, matchingCredentials } from './registry-credentials.ts';
import type { TrackedCredential } from './tracked-credential.ts';

export interface ImagePullerParts {
  readonly clock: Clock;
  readonly images: ImageService;
  /** Maximum number of concurrent pulls; further pulls wait in order of arrival. */
  readonly maxParallel: number;
  /** How many pulls may begin; default no limit. */
  readonly rate?: RequestRate | undefined;
  /** Keeps track of who may use pulled images; default all pods may. */
  readonly verification?: PullVerification | undefined;
  /** Credentials of the node itself, for the image of a pod; tried after those of the pod. */
  nodeCredentials?(image: string, pod: Observed<Pod>): Promise<readonly TrackedCredential[]>;
  /** The data of a Secret, in base64; undefined when there is none. */
  secret(namespace: string, name: string): Promise<Readonly<Record<string, string>> | undefined>;
}

export interface PullResult {
  /** Duration of the pull, without and with the time spent waiting for other pulls. */
  readonly tookMs: number;
  readonly waitedMs: number;
  /** The credential that the registry accepted; undefined when none was needed. */
  readonly used: TrackedCredential | undefined;
}

/** A pull has failed with every credential. The message names each different failure, as a kubelet puts several errors into one. */
export class PullsFailedError extends Error {
  override readonly name = 'PullsFailedError';

  constructor(failures: readonly unknown[]) {
    const messages = [...new Set(failures.map(messageOf))];
    super(messages.length === 1 ? messages[0] : `[${messages.join(', ')}]`, { cause: failures.at(-1) });
  }
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
    pod: Observed<Pod>,
    image: string,
  ): Promise<{ readonly auths: readonly TrackedCredential[]; readonly missing: readonly string[] }> {
    const { metadata, spec } = pod;
    const { namespace = '' } = metadata;
    const names = (spec?.imagePullSecrets ?? []).flatMap(({ name = '' }) => (name === '' ? [] : [name]));
    const own = (await this.#parts.nodeCredentials?.(image, pod)) ?? [];
    if (names.length === 0) return own.length === 0 ? NO_CREDENTIALS : { auths: own, missing: [] };
    const found = await Promise.all(
      names.map(async (name) => ({ name, data: await this.#parts.secret(namespace, name) })),
    );
    const missing = found.flatMap(({ name, data }) => (data === undefined ? [name] : []));
    const secretOf = new Map<AuthConfig, string>();
    const all = found.flatMap(({ name, data }) => {
      const parsed = data === undefined ? [] : credentialsOf(data);
      for (const { auth } of parsed) secretOf.set(auth, name);
      return parsed;
    });
    const secrets = matchingCredentials(all, image).map((auth): TrackedCredential => {
      return { auth, source: { type: 'secret', namespace, name: secretOf.get(auth) ?? '' } };
    });
    return { auths: [...secrets, ...own], missing };
  }

  /** Whether a pod may use an image that is on the machine without pulling it. */
  async mayUse(pod: Observed<Pod>, image: string, imageRef: string): Promise<boolean> {
    const { verification } = this.#parts;
    if (verification === undefined) return true;
    return !(await verification.mustPull(image, imageRef, async () => (await this.credentials(pod, image)).auths));
  }

  /** Tries one credential after the other. Without any, throws what the runtime says. */
  async pull(
    image: ImageSpec,
    how: { readonly auths: readonly TrackedCredential[]; readonly sandboxConfig: PodSandboxConfig },
    signal: AbortSignal,
  ): Promise<PullResult> {
    const { verification, images } = this.#parts;
    if (verification === undefined) return this.#pullInTurn(image, how, signal);
    await verification.begin(image.image);
    let result: { readonly imageRef: string; readonly used: TrackedCredential | undefined } | undefined;
    try {
      const pulled = await this.#pullInTurn(image, how, signal);
      const present = await images.imageStatus(image, { signal });
      if (present !== undefined) result = { imageRef: present.id, used: pulled.used };
      return pulled;
    } finally {
      await verification.end(image.image, result);
    }
  }

  async #pullInTurn(
    image: ImageSpec,
    {
      auths,
      sandboxConfig,
    }: { readonly auths: readonly TrackedCredential[]; readonly sandboxConfig: PodSandboxConfig },
    signal: AbortSignal,
  ): Promise<PullResult> {
    const { clock, images, rate } = this.#parts;
    const askedMs = clock.now();
    await this.#enter(signal);
    try {
      if (rate?.allows() === false) throw new Error('pull QPS exceeded');
      let used: TrackedCredential | undefined;
      const beganMs = clock.now();
      const failures: unknown[] = [];
      for (const tried of auths.length === 0 ? [undefined] : auths) {
        try {
          const auth = tried === undefined ? {} : { auth: tried.auth };
          await images.pullImage(image, { signal, sandboxConfig, ...auth });
          used = tried;
          break;
        } catch (error) {
          if (signal.aborted || tried === undefined) throw error;
          failures.push(error);
          if (failures.length === auths.length) throw new PullsFailedError(failures);
        }
      }
      const nowMs = clock.now();
      return { tookMs: nowMs - beganMs, waitedMs: nowMs - askedMs, used };
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
