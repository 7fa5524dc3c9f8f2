import type { OpenedValue } from '../../apiserver/index.ts';
import type { Provider } from './provider.ts';

/** A provider with its prefix as bytes. */
interface Link {
  readonly provider: Provider;
  readonly prefix: Buffer;
}

/**
 * Several providers as one: the first one writes, and the one that knows a value's prefix reads it. Values not written
 * by the first are stale. Several may have the same prefix, with different keys: they are tried in turn.
 */
export class ProviderChain implements Provider {
  readonly prefix: string;
  readonly #links: readonly Link[];
  readonly #noMatch: string;

  /** `noMatch` is the error when no prefix matches. */
  constructor(prefix: string, providers: readonly Provider[], noMatch: string) {
    this.prefix = prefix;
    this.#links = providers.map((provider) => ({ provider, prefix: Buffer.from(provider.prefix) }));
    this.#noMatch = noMatch;
  }

  seal(value: Uint8Array, key: string): Uint8Array {
    const [first] = this.#links;
    if (first === undefined) throw new Error(this.#noMatch);
    const sealed = first.provider.seal(value, key);
    return first.prefix.length === 0 ? sealed : Buffer.concat([first.prefix, sealed]);
  }

  open(value: Uint8Array, key: string): OpenedValue | Promise<OpenedValue> {
    return this.#openFrom(0, { value, key, errors: [] });
  }

  #openFrom(start: number, attempt: Attempt): OpenedValue | Promise<OpenedValue> {
    for (let index = start; index < this.#links.length; index++) {
      const { provider, prefix } = this.#links[index] as Link;
      if (!startsWith(attempt.value, prefix)) continue;
      const failed = (error: unknown): void => {
        if (prefix.length > 0) attempt.errors.push(error instanceof Error ? error.message : String(error));
      };
      const opened = ({ value, isStale }: OpenedValue): OpenedValue => ({ value, isStale: isStale || index > 0 });
      try {
        const found = provider.open(attempt.value.subarray(prefix.length), attempt.key);
        if (!(found instanceof Promise)) return opened(found);
        return found.then(opened, (error: unknown) => {
          failed(error);
          return this.#openFrom(index + 1, attempt);
        });
      } catch (error) {
        failed(error);
      }
    }
    throw new Error(together(attempt.errors) ?? this.#noMatch);
  }
}

interface Attempt {
  readonly value: Uint8Array;
  readonly key: string;
  readonly errors: string[];
}

function startsWith(value: Uint8Array, prefix: Buffer): boolean {
  return value.length >= prefix.length && prefix.compare(value, 0, prefix.length) === 0;
}

function together(errors: readonly string[]): string | undefined {
  const different = [...new Set(errors)];
  return different.length > 1 ? `[${different.join(', ')}]` : different[0];
}
