import { type Duration, formatDuration, messageOf, millisecondsOf, RealClock } from '../base/index.ts';
import { type CredentialRequest, readCredentialRequest } from './credential-request.ts';

export type { CredentialRequest, RequestingAccount } from './credential-request.ts';

/** What a registry is asked with. */
export interface RegistryCredentials {
  readonly username: string;
  readonly password: string;
  /**
   * The images that it is good for: a host, with `*` for labels or parts of them, a port, and the beginning of a path, such as
   * `*.example.com/team`; default the registry of the image that is asked about.
   */
  readonly images?: string;
  /** How long the node may use it; by default as long as its configuration says. 0 for this pull alone. */
  readonly cacheFor?: Duration;
  /** What the node may use it for again without asking: this image, all images of its registry, or all that it asks the provider about. Default `image`. */
  readonly cacheBy?: 'image' | 'registry' | 'all';
}

/** A credential provider: its name, and what it does. */
export interface CredentialProviderDefinition {
  /** As in the node's CredentialProviderConfig, and the name of the program. */
  readonly name: string;
  /**
   * Returns the credentials for an image; undefined where there are none, and then the node pulls without. An error is logged by the node,
   * which then pulls without credentials, too.
   */
  get(request: CredentialRequest): RegistryCredentials | undefined | Promise<RegistryCredentials | undefined>;
}

/** What a call of a provider prints and exits with. */
export interface CredentialProviderAnswer {
  readonly code: 0 | 1;
  readonly stdout: string;
  readonly stderr: string;
}

const CACHE_KEYS = { image: 'Image', registry: 'Registry', all: 'Global' } as const;
/** A node ends a program after a minute. */
const ANSWER_WITHIN_MS = 55_000;
const MAX_INPUT_BYTES = 1024 * 1024;
const NAME = /^[A-Za-z0-9]([-\w.]*[A-Za-z0-9])?$/;

/**
 * A credential provider from one function. A program that calls `main()` is the provider:
 * `credentialProvider({ name: 'vault', get: ({ registry }) => login(registry) }).main()`.
 */
export function credentialProvider(definition: CredentialProviderDefinition): CredentialProvider {
  return new CredentialProvider(definition);
}

/** A program that a node starts to ask for the credentials of a registry (kubelet credential provider API v1). */
export class CredentialProvider {
  readonly name: string;
  readonly #get: CredentialProviderDefinition['get'];

  constructor({ name, get }: CredentialProviderDefinition) {
    if (!NAME.test(name)) throw new TypeError(`Not a name of a credential provider: ${JSON.stringify(name)}`);
    this.name = name;
    this.#get = get;
  }

  /** One call, as a node makes it with this input; for tests. */
  async run(
    input: string,
    { signal = new AbortController().signal }: { readonly signal?: AbortSignal } = {},
  ): Promise<CredentialProviderAnswer> {
    try {
      const { request, apiVersion } = readCredentialRequest(input, signal);
      const found = await this.#get(request);
      const answer = { kind: 'CredentialProviderResponse', apiVersion, ...responseOf(request, found) };
      return { code: 0, stdout: `${JSON.stringify(answer)}\n`, stderr: '' };
    } catch (error) {
      return { code: 1, stdout: '', stderr: `${this.name}: ${messageOf(error)}\n` };
    }
  }

  /** Answers the call that this process was started for, and sets the exit code. What the function prints goes to stderr. */
  async main(): Promise<void> {
    const write = process.stdout.write.bind(process.stdout);
    // the node reads stdout as the answer; stderr is in its log when the call fails
    process.stdout.write = process.stderr.write.bind(process.stderr) as typeof process.stdout.write;
    const { code, stdout, stderr } = await this.#answerInTime();
    process.stderr.write(stderr);
    write(stdout);
    process.exitCode = code;
  }

  async #answerInTime(): Promise<CredentialProviderAnswer> {
    const late = new AbortController();
    const problem = `${this.name}: no answer within ${formatDuration(ANSWER_WITHIN_MS)}\n`;
    const tooLate = new Promise<CredentialProviderAnswer>((resolve) => {
      late.signal.addEventListener('abort', () => resolve({ code: 1, stdout: '', stderr: problem }), { once: true });
    });
    using _timer = new RealClock().timer(ANSWER_WITHIN_MS, () => late.abort());
    try {
      return await Promise.race([this.run(await readInput(), { signal: late.signal }), tooLate]);
    } catch (error) {
      return { code: 1, stdout: '', stderr: `${this.name}: ${messageOf(error)}\n` };
    }
  }
}

function responseOf({ registry }: CredentialRequest, found: RegistryCredentials | undefined): object {
  // without credentials the node asks again for the next pull: they may be there by then
  if (found === undefined) return { cacheKeyType: 'Image', cacheDuration: '0s', auth: null };
  const { username, password, images = registry, cacheFor, cacheBy = 'image' } = found;
  return {
    cacheKeyType: CACHE_KEYS[cacheBy],
    ...(cacheFor === undefined ? {} : { cacheDuration: formatDuration(millisecondsOf(cacheFor)) }),
    auth: { [images]: { username, password } },
  };
}

async function readInput(): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_INPUT_BYTES) throw new Error(`the request has more than ${MAX_INPUT_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
