import type { DnsConfig } from '../node/index.ts';

const MAX_TEXTS = 1000;

/** The content of resolv.conf of pods: one string for all pods with the same settings, because there may be thousands. */
export class ResolverTexts {
  readonly #texts = new Map<string, string>();

  of({ servers, searches, options }: DnsConfig = { servers: [], searches: [], options: [] }): string {
    const lines = [
      ...(searches.length === 0 ? [] : [`search ${searches.join(' ')}`]),
      ...servers.map((server) => `nameserver ${server}`),
      ...(options.length === 0 ? [] : [`options ${options.join(' ')}`]),
    ];
    const text = lines.map((line) => `${line}\n`).join('');
    const known = this.#texts.get(text);
    if (known === undefined && this.#texts.size < MAX_TEXTS) this.#texts.set(text, text);
    return known ?? text;
  }
}
