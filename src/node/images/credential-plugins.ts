import { createHash } from 'node:crypto';
import {
  type Clock,
  type Duration,
  DurationError,
  type Logger,
  messageOf,
  millisecondsOf,
  parseDuration,
} from '../../base/index.ts';
import { type Client, type Observed, type Pod, requestToken } from '../../client/index.ts';
import type { AgentMetrics } from '../agent-metrics.ts';
import { fullRepositoryOf } from './image-name.ts';
import { matchesPlace, matchingCredentials, normalPlace } from './registry-credentials.ts';
import type { TrackedCredential } from './tracked-credential.ts';

/** A program that returns credentials for images: a provider of a CredentialProviderConfig. */
export interface CredentialPlugin {
  readonly name: string;
  /** The images that it is asked about: hosts with `*` for parts of a label, ports, and beginnings of paths. */
  readonly matchImages: readonly string[];
  /** How long an answer is used that does not say so itself. */
  readonly defaultCacheDuration: Duration;
  /** `credentialprovider.kubelet.k8s.io/v1`, `/v1beta1` or `/v1alpha1`. */
  readonly apiVersion: string;
  /** Set for a provider that gets a token of the pod's service account. */
  readonly tokenAttributes?: {
    readonly audience: string;
    readonly cacheType: 'Token' | 'ServiceAccount';
    readonly requireServiceAccount: boolean;
    readonly requiredAnnotations: readonly string[];
    readonly optionalAnnotations: readonly string[];
  };
  /** Runs the program with this input; returns what it prints. */
  run(input: string): Promise<string>;
}

export interface CredentialPluginsParts {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: AgentMetrics;
}

interface Account {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly token: string;
  readonly annotations: Readonly<Record<string, string>>;
  /** What answers for this account are cached under. */
  readonly key: string;
}

interface Answer {
  readonly cacheKey: string;
  readonly cacheMs: number;
  readonly credentials: readonly { readonly place: string; readonly username: string; readonly password: string }[];
}

const MAX_CACHED = 1000;
const GLOBAL = 'global';

/** Asks programs for credentials, and remembers what they answer for as long as they say. */
export class CredentialPlugins {
  readonly #plugins: readonly CredentialPlugin[];
  readonly #parts: CredentialPluginsParts;
  readonly #cache = new Map<string, { readonly expiresAtMs: number; readonly answer: Answer }>();
  readonly #asking = new Map<string, Promise<Answer>>();

  constructor(plugins: readonly CredentialPlugin[], parts: CredentialPluginsParts) {
    this.#plugins = plugins;
    this.#parts = parts;
  }

  /** The credentials of all plugins for an image; a plugin that fails has none. */
  async of(image: string, pod: Observed<Pod>): Promise<readonly TrackedCredential[]> {
    const repository = fullRepositoryOf(image); // as a kubelet: programs are asked about repositories, not tags
    const found = await Promise.all(this.#plugins.map((plugin) => this.#tryPlugin(plugin, repository, pod)));
    return found.flat();
  }

  async #tryPlugin(plugin: CredentialPlugin, image: string, pod: Observed<Pod>): Promise<readonly TrackedCredential[]> {
    if (!plugin.matchImages.some((pattern) => matchesPlace(normalPlace(pattern), image))) return [];
    try {
      const account = await this.#accountOf(plugin, pod);
      if (account === undefined && plugin.tokenAttributes?.requireServiceAccount === true) return [];
      const { credentials } = await this.#answer(plugin, image, account);
      const all = credentials.map(({ place, username, password }) => ({
        place: normalPlace(place),
        auth: { username, password },
      }));
      const { namespace = '', name = '', uid = '' } = account ?? {};
      const source = account === undefined ? NODE : ({ type: 'service account', namespace, name, uid } as const);
      return matchingCredentials(all, image).map((auth) => ({ auth, source }));
    } catch (error) {
      const { name } = plugin;
      this.#parts.log.warn('credential provider has failed', { provider: name, image, error: messageOf(error) });
      return [];
    }
  }

  async #answer(plugin: CredentialPlugin, image: string, account: Account | undefined): Promise<Answer> {
    const keys = [image, registryOf(image), GLOBAL].map((key) => `${plugin.name} ${key} ${account?.key ?? ''}`);
    const nowMs = this.#parts.clock.now();
    for (const key of keys) {
      const known = this.#cache.get(key);
      if (known !== undefined && nowMs <= known.expiresAtMs) return known.answer;
    }
    const flight = `${plugin.name} ${image} ${account?.token ?? ''}`;
    const asked =
      this.#asking.get(flight) ?? this.#ask(plugin, image, account).finally(() => this.#asking.delete(flight));
    this.#asking.set(flight, asked);
    const answer = await asked;
    if (answer.cacheMs > 0) {
      this.#cache.set(`${plugin.name} ${answer.cacheKey} ${account?.key ?? ''}`, {
        expiresAtMs: nowMs + answer.cacheMs,
        answer,
      });
      for (const oldest of this.#cache.keys()) if (this.#cache.size > MAX_CACHED) this.#cache.delete(oldest);
    }
    return answer;
  }

  async #ask(plugin: CredentialPlugin, image: string, account: Account | undefined): Promise<Answer> {
    const { apiVersion, defaultCacheDuration, tokenAttributes } = plugin;
    const request = {
      kind: 'CredentialProviderRequest',
      apiVersion,
      image,
      ...(account === undefined
        ? {}
        : { serviceAccountToken: account.token, serviceAccountAnnotations: account.annotations }),
    };
    const text = await this.#measured(plugin.name, () => plugin.run(JSON.stringify(request)));
    const answer = readAnswer(text, { image, apiVersion, defaultCacheMs: millisecondsOf(defaultCacheDuration) });
    const isTokenReturned = answer.credentials.some(({ password }) => password === account?.token);
    if (isTokenReturned && tokenAttributes?.cacheType !== 'Token')
      throw new Error(
        "credential provider plugin returned the service account token as the password which is not allowed when service account cache type is not set to 'Token'",
      );
    return answer;
  }

  async #measured(plugin_name: string, run: () => Promise<string>): Promise<string> {
    const { clock, metrics } = this.#parts;
    const beganMs = clock.monotonic();
    try {
      return await run();
    } catch (error) {
      metrics.add('kubelet_credential_provider_plugin_errors_total', { plugin_name });
      throw error;
    } finally {
      const tookMs = clock.monotonic() - beganMs;
      metrics.observe('kubelet_credential_provider_plugin_duration', tookMs / 1000, { plugin_name });
    }
  }

  /** The account of a pod for a plugin that wants one; undefined when the pod has none, or lacks a required annotation. */
  async #accountOf({ tokenAttributes }: CredentialPlugin, pod: Observed<Pod>): Promise<Account | undefined> {
    const { serviceAccountName: name = '' } = pod.spec ?? {};
    if (tokenAttributes === undefined || name === '') return undefined;
    const { audience, cacheType, requiredAnnotations, optionalAnnotations } = tokenAttributes;
    const { namespace = '', name: podName, uid: podUid } = pod.metadata;
    const accounts = this.#parts.client.core.v1.serviceaccounts.namespace(namespace);
    const { metadata } = await accounts.get(name);
    const all = metadata.annotations ?? {};
    if (requiredAnnotations.some((each) => !(each in all))) return undefined;
    const wanted = [...requiredAnnotations, ...optionalAnnotations].filter((each) => each in all).toSorted();
    const annotations = Object.fromEntries(wanted.map((each) => [each, all[each] ?? '']));
    const boundObjectRef = { kind: 'Pod', apiVersion: 'v1', name: podName, uid: podUid };
    const { token } = await requestToken(accounts, name, { spec: { audiences: [audience], boundObjectRef } });
    const tokenPart = cacheType === 'Token' ? `${podUid} ${createHash('sha256').update(token).digest('hex')}` : '';
    const key = JSON.stringify([namespace, name, metadata.uid, annotations, tokenPart]);
    return { namespace, name, uid: metadata.uid, token, annotations, key };
  }
}

const NODE = { type: 'node' } as const;

function readAnswer(
  text: string,
  about: { readonly image: string; readonly apiVersion: string; readonly defaultCacheMs: number },
): Answer {
  const parsed = JSON.parse(text) as {
    readonly kind?: unknown;
    readonly apiVersion?: unknown;
    readonly cacheKeyType?: unknown;
    readonly cacheDuration?: unknown;
    readonly auth?: Readonly<
      Record<string, { readonly username?: unknown; readonly password?: unknown } | null>
    > | null;
  } | null;
  const { kind, apiVersion, cacheKeyType, cacheDuration, auth } = parsed ?? {};
  if (kind !== 'CredentialProviderResponse' || apiVersion !== about.apiVersion)
    throw new Error(
      `failed to decode CredentialProviderResponse, got kind: ${String(kind)}, apiVersion: ${String(apiVersion)}`,
    );
  const keys: Readonly<Record<string, string>> = {
    Image: about.image,
    Registry: registryOf(about.image),
    Global: GLOBAL,
  };
  const cacheKey = typeof cacheKeyType === 'string' ? keys[cacheKeyType] : undefined;
  if (cacheKey === undefined)
    throw new Error(
      `credential provider plugin did not return a valid cacheKeyType: ${JSON.stringify(cacheKeyType ?? '')}`,
    );
  const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
  return {
    cacheKey,
    cacheMs: typeof cacheDuration === 'string' ? durationOf(cacheDuration) : about.defaultCacheMs,
    credentials: Object.entries(auth ?? {}).map(([place, entry]) => ({
      place,
      username: textOf(entry?.username),
      password: textOf(entry?.password),
    })),
  };
}

function durationOf(text: string): number {
  try {
    return parseDuration(text);
  } catch (error) {
    if (error instanceof DurationError) return 0; // an answer that cannot be kept is used once
    throw error;
  }
}

function registryOf(image: string): string {
  return image.split('/')[0] ?? '';
}
