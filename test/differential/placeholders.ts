import { withTokensDescribed } from './described-token.ts';
import type { Played } from './play-case.ts';

const UID = /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/g;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;
const VERSION_IN_TEXT =
  /(?<=resource version: |resource version: \d+ \(|resourceVersion\W{1,6}|in record \()[1-9]\d*\b/g;
/** How far the server has come depends on when it was asked. */
const CURRENT_VERSION = /(?<=current: )\d+/g;
const DIGEST = /(?<=hash=|X509SHA256=)[\da-fA-F]{64,}/g;
const SERVICE_ADDRESS = /^10\.96\.\d+\.\d+$/;
const PLATFORM = /^(linux|darwin|windows|freebsd)\/\w+$/;
const AGE = /^(\d+[ydhms])+$/;
const DAY = /^\d{4}-\d\d-\d\d$/;
/** What ends of generated names consist of. */
const NAME_LETTERS = 'bcdfghjklmnpqrstvwxz2456789';
const RECENT_MS = 6 * 3600 * 1000;

/**
 * Stands in for what servers choose: uids and allocated addresses are numbered as they appear, resourceVersions are ranked by
 * size over the whole case (so that "newer than" and "the same as" are compared), names that were generated lose their end,
 * times of this run become `<time>`. What the client sent is kept.
 */
export class Placeholders {
  readonly #sent: string;
  readonly #now: number;
  readonly #uids = new Map<string, string>();
  readonly #versions = new Map<string, string>();
  /** Texts to replace wherever they stand. */
  readonly #texts = new Map<string, string>();
  readonly #serverPort: string;
  readonly #prefixes: readonly string[];
  readonly #ports = new Map<number, string>();

  constructor({ answers, id, sent, server }: Played) {
    this.#sent = sent;
    this.#now = Date.parse(answers.at(-1)?.reply.headers['date']?.[0] ?? '');
    const versions = new Set<string>();
    for (const { body } of answers) this.#collect(body.value, versions);
    const ranked = [...versions].sort((left, right) => Number(left) - Number(right));
    for (const [rank, version] of ranked.entries()) this.#versions.set(version, `<version ${rank + 1}>`);
    this.#texts.set(id, '<id>'); // the last: names that were generated may contain it
    this.#serverPort = server.port;
    const sentPrefixes = [...sent.matchAll(/generateName\W+([\w.-]+)/g)].map(([, prefix = '']) => prefix);
    this.#prefixes = [...new Set([...sentPrefixes, 'kube-api-access-'])];
  }

  inText(text: string): string {
    let result = this.#withoutGeneratedEnds(withTokensDescribed(text))
      .replaceAll(UID, (uid) => this.#uidName(uid))
      .replaceAll(TIME, (time, fraction: string | undefined) => this.#timeName(time, fraction))
      .replaceAll(VERSION_IN_TEXT, (version) => this.#versionName(version))
      .replaceAll(CURRENT_VERSION, '<version>')
      .replaceAll(DIGEST, '<digest>')
      .replaceAll(new RegExp(String.raw`\b[\d.]+:${this.#serverPort}\b`, 'g'), '<server>');
    for (const [found, placeholder] of this.#texts) result = result.replaceAll(found, placeholder);
    return result;
  }

  inValue(value: unknown, member = ''): unknown {
    if (Array.isArray(value)) {
      const items = value.map((item) => this.inValue(item, member));
      // Owners are sorted by the second in which they wrote, which is chance.
      return member === 'managedFields' ? (items as Owner[]).sort(byOwner) : items;
    }
    if (typeof value === 'object' && value !== null) {
      return Object.fromEntries(
        Object.entries(value).map(([name, inner]) => {
          // Descriptions of columns are in our own words.
          if (member === 'columnDefinitions' && name === 'description') return [name, '<words>'];
          return [this.inText(name), this.inValue(inner, name)];
        }),
      );
    }
    if (typeof value === 'number') return /port$/i.test(member) ? (this.#ports.get(value) ?? value) : value;
    if (typeof value !== 'string') return value;
    if (member === 'resourceVersion') return this.#versionName(value);
    if (member === 'platform' && PLATFORM.test(value)) return '<platform>';
    if (member === 'continue' && value !== '') return '<continue>';
    if (member === 'cells' && AGE.test(value)) return '<age>';
    if (DAY.test(value) && !this.#sent.includes(value)) return '<day>';
    return this.inText(value);
  }

  #uidName(uid: string): string {
    if (this.#sent.includes(uid)) return uid;
    const known = this.#uids.get(uid);
    if (known !== undefined) return known;
    const name = `<uid ${this.#uids.size + 1}>`;
    this.#uids.set(uid, name);
    return name;
  }

  #timeName(time: string, fraction: string | undefined): string {
    if (this.#sent.includes(time) || Math.abs(Date.parse(time) - this.#now) > RECENT_MS) return time;
    return fraction === undefined ? '<time>' : `<time with ${fraction.length - 1} digits>`;
  }

  #versionName(version: string): string {
    return this.#versions.get(version) ?? version;
  }

  /** Finds what is to be replaced: versions, generated names, allocated addresses and ports. */
  #collect(value: unknown, versions: Set<string>, member = ''): void {
    if (Array.isArray(value)) {
      for (const item of value) this.#collect(item, versions, member);
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, inner] of Object.entries(value)) this.#collect(inner, versions, name);
    } else if (typeof value === 'string') {
      this.#collectText(value, versions, member);
    } else if (typeof value === 'number' && /nodePort$/i.test(member) && !this.#sent.includes(String(value))) {
      const name = `<port ${this.#ports.size + 1}>`;
      if (!this.#ports.has(value)) this.#ports.set(value, name);
      this.#texts.set(`:${value}/`, `:${this.#ports.get(value) ?? name}/`);
    }
  }

  #collectText(text: string, versions: Set<string>, member: string): void {
    if (member === 'resourceVersion' && /^[1-9]\d*$/.test(text) && !this.#isAskedFor(text)) versions.add(text);
    for (const [version] of text.matchAll(VERSION_IN_TEXT)) if (!this.#isAskedFor(version)) versions.add(version);
    if (member.startsWith('clusterIP') && SERVICE_ADDRESS.test(text) && !this.#sent.includes(text)) {
      if (!this.#texts.has(text)) this.#texts.set(text, `<address ${this.#texts.size}>`);
    }
  }

  /** Whether the case itself has this resourceVersion as a constant. */
  #isAskedFor(version: string): boolean {
    return new RegExp(String.raw`resourceVersion\W+${version}\b`).test(this.#sent);
  }

  /** Names made from a generateName that the client sent, also where only a Status contains them. */
  #withoutGeneratedEnds(text: string): string {
    let result = text;
    for (const prefix of this.#prefixes) {
      result = result.replaceAll(new RegExp(`(${prefix})[${NAME_LETTERS}]{5}\\b`, 'g'), '$1<random>');
    }
    return result;
  }
}

interface Owner {
  readonly manager?: string;
  readonly operation?: string;
  readonly subresource?: string;
}

function byOwner(left: Owner, right: Owner): number {
  const [one, other] = [left, right].map(({ operation, manager, subresource }) =>
    [operation, manager, subresource].join(),
  );
  return (one ?? '') < (other ?? '') ? -1 : 1;
}
