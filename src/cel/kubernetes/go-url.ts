import { quoteGo } from '../../api/values/index.ts';
import { AddressError, parseAddress } from './network-address.ts';

/** An invalid URL; the message is Go's. */
export class UrlError extends Error {
  override readonly name = 'UrlError';
}

/** A URL parsed as Go's net/url does. */
export interface GoUrl {
  readonly scheme: string;
  /** The part after the scheme, when it is not a path. */
  readonly opaque: string;
  readonly user: { readonly name: string; readonly password: string | undefined } | undefined;
  readonly host: string;
  /** Decoded. Invalid UTF-8 bytes are represented as characters up to \xff, one each. */
  readonly path: string;
  /** The original text, when it differs from the encoded path. */
  readonly rawPath: string;
  readonly query: string;
  readonly forcesQuery: boolean;
  readonly fragment: string;
  readonly rawFragment: string;
  readonly omitsHost: boolean;
}

type Part = 'path' | 'host' | 'zone' | 'user' | 'query' | 'fragment';

/** ASCII characters, other than letters and digits, that need no escaping in each part. */
const PLAIN: Readonly<Record<Part, string>> = {
  path: '$&+,-./:;=@_~',
  host: `!"$&'()*+,-.:;<=>[]_~`,
  zone: `!"$&'()*+,-.:;<=>[]_~`,
  user: '$&+,-.;=_~',
  query: '-._~',
  fragment: '!$&()*+,-./:;=?@_~',
};

/** Parses an absolute URL, or a path with a leading slash. Throws UrlError. */
export function parseRequestUri(text: string): GoUrl {
  return naming(text, () => parse(toBytes(text), '', true));
}

/** Parses any URL, with its fragment. Throws UrlError. */
export function parseUrl(text: string): GoUrl {
  const hash = text.indexOf('#');
  const before = hash < 0 ? text : text.slice(0, hash);
  const url = naming(before, () => parse(toBytes(before), '', false)); // messages leave out the fragment
  if (hash < 0) return url;
  return naming(text, () => parse(toBytes(before), toBytes(text.slice(hash + 1)), false));
}

function naming(text: string, action: () => GoUrl): GoUrl {
  try {
    return action();
  } catch (error) {
    if (!(error instanceof UrlError)) throw error;
    throw new UrlError(`parse ${quoteGo(text)}: ${error.message}`);
  }
}

/** A string as Go sees it: one character per byte of its UTF-8. */
function toBytes(text: string): string {
  return Buffer.from(text).toString('latin1');
}

/** Back from bytes to text. */
export function fromBytes(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

function parse(text: string, fragment: string, isRequest: boolean): GoUrl {
  if (/[\x00-\x1f\x7f]/.test(text)) throw new UrlError('net/url: invalid control character in URL');
  if (text === '' && isRequest) throw new UrlError('empty url');
  const decodedFragment = unescape(fragment, 'fragment');
  const nothing = { scheme: '', opaque: '', user: undefined, host: '', path: '', rawPath: '', query: '' };
  const ending = {
    forcesQuery: false,
    omitsHost: false,
    fragment: decodedFragment,
    rawFragment: escape(decodedFragment, 'fragment') === fragment ? '' : fragment,
  };
  if (text === '*') return { ...nothing, ...ending, path: '*' };
  const { scheme, rest: behind } = takeScheme(text);
  const forcesQuery = behind.endsWith('?') && behind.indexOf('?') === behind.length - 1;
  const [rest, query] = cut(behind, '?');
  const found = { ...nothing, ...ending, scheme, query, forcesQuery };
  if (!rest.startsWith('/')) {
    if (scheme !== '') return { ...found, opaque: rest };
    if (isRequest) throw new UrlError('invalid URI for request');
    if (cut(rest, '/')[0].includes(':')) throw new UrlError('first path segment in URL cannot contain colon');
  }
  const hasAuthority = rest.startsWith('//') && (scheme !== '' || (!isRequest && !rest.startsWith('///')));
  const slash = hasAuthority ? rest.indexOf('/', 2) : 0;
  const authority = hasAuthority ? rest.slice(2, slash < 0 ? undefined : slash) : '';
  const rawPath = hasAuthority ? (slash < 0 ? '' : rest.slice(slash)) : rest;
  const place = hasAuthority ? takeAuthority(scheme, authority) : { user: undefined, host: '' };
  const path = unescape(rawPath, 'path');
  return {
    ...found,
    ...place,
    omitsHost: !hasAuthority && scheme !== '' && rest.startsWith('/'),
    path,
    rawPath: escape(path, 'path') === rawPath ? '' : rawPath,
  };
}

function takeScheme(text: string): { readonly scheme: string; readonly rest: string } {
  if (text.startsWith(':')) throw new UrlError('missing protocol scheme');
  const [found, scheme = ''] = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(text) ?? [];
  return found === undefined
    ? { scheme: '', rest: text }
    : { scheme: scheme.toLowerCase(), rest: text.slice(found.length) };
}

function takeAuthority(scheme: string, authority: string): Pick<GoUrl, 'user' | 'host'> {
  const at = authority.lastIndexOf('@');
  const host = takeHost(scheme, authority.slice(at + 1));
  if (at < 0) return { user: undefined, host };
  const info = authority.slice(0, at);
  if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(info)) throw new UrlError('net/url: invalid userinfo');
  const [name, password] = cut(info, ':');
  return {
    user: { name: unescape(name, 'user'), password: info.includes(':') ? unescape(password, 'user') : undefined },
    host,
  };
}

function takeHost(scheme: string, host: string): string {
  const open = host.lastIndexOf('[');
  if (open > 0) throw new UrlError('invalid IP-literal');
  if (open === 0) return takeIpLiteral(host);
  const first = host.indexOf(':');
  if (first >= 0) {
    const colon = scheme === 'http' || scheme === 'https' ? first : host.lastIndexOf(':');
    checkPort(host.slice(colon));
  }
  return unescape(host, 'host');
}

function takeIpLiteral(host: string): string {
  const close = host.lastIndexOf(']');
  if (close < 0) throw new UrlError("missing ']' in host");
  const port = host.slice(close + 1);
  checkPort(port);
  const name = host.slice(1, close);
  const zone = name.indexOf('%25');
  const decoded =
    zone < 0 ? unescape(name, 'host') : unescape(name.slice(0, zone), 'host') + unescape(name.slice(zone), 'zone');
  try {
    if (parseAddress(fromBytes(decoded)).bytes.length === 4) throw new UrlError('invalid IP-literal');
  } catch (error) {
    if (error instanceof AddressError) throw new UrlError(`invalid host: ${error.message}`);
    throw error;
  }
  return `[${decoded}]${port}`;
}

function checkPort(port: string): void {
  if (!isPort(port)) throw new UrlError(`invalid port ${quoteGo(fromBytes(port))} after host`);
}

function isPort(port: string): boolean {
  return /^(?::[0-9]*)?$/.test(port);
}

function cut(text: string, at: string): readonly [string, string] {
  const index = text.indexOf(at);
  return index < 0 ? [text, ''] : [text.slice(0, index), text.slice(index + at.length)];
}

/** Decodes `%xx`. Throws UrlError where something is not allowed in that part. */
function unescape(text: string, part: Part): string {
  const isHost = part === 'host' || part === 'zone';
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === '%') {
      const escape = text.slice(at, at + 3);
      if (!/^%[0-9a-fA-F]{2}$/.test(escape)) throw badEscape(escape);
      const code = Number.parseInt(escape.slice(1), 16);
      if (part === 'host' && code < 0x80 && escape !== '%25') throw badEscape(escape);
      if (part === 'zone' && escape !== '%25' && code !== 0x20 && !isPlain(String.fromCharCode(code), 'host'))
        throw badEscape(escape);
      at += 2;
    } else if (isHost && character < '\x80' && !isPlain(character, part)) {
      throw new UrlError(`invalid character ${quoteGo(character)} in host name`);
    }
  }
  const spaced = part === 'query' ? text.replaceAll('+', ' ') : text;
  return spaced.replaceAll(/%([0-9a-fA-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

function badEscape(escape: string): UrlError {
  return new UrlError(`invalid URL escape ${quoteGo(fromBytes(escape))}`);
}

function isPlain(character: string, part: Part): boolean {
  return /[A-Za-z0-9]/.test(character) || PLAIN[part].includes(character);
}

function escape(text: string, part: Part): string {
  return text.replaceAll(/[^]/g, (character) => {
    if (isPlain(character, part)) return character;
    return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
  });
}

/** The escaped path; the original text if that is valid. */
export function escapedPath(url: GoUrl): string {
  if (url.rawPath !== '' && isEncoded(url.rawPath, 'path')) return url.rawPath;
  return url.path === '*' ? '*' : escape(url.path, 'path');
}

function isEncoded(text: string, part: Part): boolean {
  return [...text].every((character) => "!$&'()*+,;=:@[]%".includes(character) || isPlain(character, part));
}

/** Host without port and brackets, and the port. */
export function splitHost(url: GoUrl): { readonly hostname: string; readonly port: string } {
  const colon = url.host.lastIndexOf(':');
  const hasPort = colon >= 0 && isPort(url.host.slice(colon));
  const host = hasPort ? url.host.slice(0, colon) : url.host;
  const isLiteral = host.startsWith('[') && host.endsWith(']');
  return { hostname: isLiteral ? host.slice(1, -1) : host, port: hasPort ? url.host.slice(colon + 1) : '' };
}

/** The query's values by name; values that cannot be decoded are left out. */
export function queryValues(url: GoUrl): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const pair of url.query.split('&')) {
    if (pair === '' || pair.includes(';')) continue;
    const [name, value] = cut(pair, '=');
    try {
      const key = fromBytes(unescape(name, 'query'));
      const decoded = fromBytes(unescape(value, 'query'));
      values.set(key, [...(values.get(key) ?? []), decoded]);
    } catch (error) {
      if (!(error instanceof UrlError)) throw error;
    }
  }
  return values;
}

export function formatUrl(url: GoUrl): string {
  const scheme = url.scheme === '' ? '' : `${url.scheme}:`;
  const query = url.forcesQuery || url.query !== '' ? `?${url.query}` : '';
  const fragment = url.fragment === '' ? '' : `#${escapedFragment(url)}`;
  if (url.opaque !== '') return fromBytes(scheme + url.opaque + query + fragment);
  const path = escapedPath(url);
  const before = scheme + formatAuthority(url);
  const slash = path !== '' && !path.startsWith('/') && url.host !== '' ? '/' : '';
  const dot = before + slash === '' && cut(path, '/')[0].includes(':') ? './' : '';
  return fromBytes(before + slash + dot + path + query + fragment);
}

function formatAuthority({ scheme, host, user, omitsHost, path }: GoUrl): string {
  if (scheme === '' && host === '' && user === undefined) return '';
  if (omitsHost && host === '' && user === undefined) return '';
  const slashes = host !== '' || path !== '' || user !== undefined ? '//' : '';
  const info =
    user === undefined
      ? ''
      : `${escape(user.name, 'user')}${user.password === undefined ? '' : `:${escape(user.password, 'user')}`}@`;
  return slashes + info + escape(host, 'host');
}

function escapedFragment(url: GoUrl): string {
  if (url.rawFragment !== '' && isEncoded(url.rawFragment, 'fragment')) return url.rawFragment;
  return escape(url.fragment, 'fragment');
}
