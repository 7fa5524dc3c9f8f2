// Registry credentials from the pull secrets of pods, and which of them apply to an image.
import { Buffer } from 'node:buffer';
import type { AuthConfig } from '../runtime/index.ts';

/** Credentials of a secret for one registry, or for a path of it. */
export interface RegistryCredential {
  /** Host and path: `quay.io/team`, `*.example.com`. */
  readonly place: string;
  readonly auth: AuthConfig;
}

interface Entry {
  readonly username?: unknown;
  readonly password?: unknown;
  readonly auth?: unknown;
  readonly identitytoken?: unknown;
}

const DEFAULT_REGISTRY = 'index.docker.io';

/** Reads `.dockerconfigjson` or `.dockercfg` of a secret; empty when the secret has neither, or cannot be parsed. */
export function credentialsOf(data: Readonly<Record<string, string>>): readonly RegistryCredential[] {
  const [config, legacy] = [data['.dockerconfigjson'], data['.dockercfg']];
  const text = Buffer.from(config ?? legacy ?? '', 'base64').toString();
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return []; // as if the secret were not there: the pull says what is missing
  }
  const entries = config === undefined ? parsed : (parsed as { readonly auths?: unknown } | null)?.auths;
  if (typeof entries !== 'object' || entries === null) return [];
  return Object.entries(entries as Record<string, Entry | null>).flatMap(([place, entry]) => {
    const auth = entry === null ? undefined : authOf(entry);
    return auth === undefined ? [] : [{ place: normalPlace(place), auth }];
  });
}

function authOf({ username, password, auth, identitytoken }: Entry): AuthConfig | undefined {
  const decoded = typeof auth === 'string' ? Buffer.from(auth, 'base64').toString() : '';
  const colon = decoded.indexOf(':');
  const [user, secret] =
    colon < 0 ? [text(username), text(password)] : [decoded.slice(0, colon), decoded.slice(colon + 1)];
  if (user === '' && secret === '' && text(identitytoken) === '') return undefined;
  const token = text(identitytoken);
  // no address of the server, as a kubelet: containerd does not use credentials whose address is not a whole URL
  return { username: user, password: secret, ...(token === '' ? {} : { identityToken: token }) };
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Strips scheme, API version and trailing slashes. */
export function normalPlace(place: string): string {
  const bare = place.replace(/^https?:\/\//, '').replace(/\/+$/, '');
  return bare.replace(/\/v[12]$/, '');
}

/** The credentials for an image, most specific first. */
export function matchingCredentials(credentials: readonly RegistryCredential[], image: string): readonly AuthConfig[] {
  const target = fullName(image);
  return credentials
    .filter(({ place }) => isPlaceOf(place === 'docker.io' ? DEFAULT_REGISTRY : place, target))
    .toSorted((left, right) => (left.place < right.place ? 1 : left.place > right.place ? -1 : 0))
    .map(({ auth }) => auth);
}

/** Whether an image is at a place: `quay.io/team`, `*.example.com`. */
export function matchesPlace(place: string, image: string): boolean {
  return isPlaceOf(place === 'docker.io' ? DEFAULT_REGISTRY : place, fullName(image));
}

/** The image with its registry. */
function fullName(image: string): string {
  const slash = image.indexOf('/');
  const first = slash < 0 ? '' : image.slice(0, slash);
  const hasRegistry = /[.:]/.test(first) || first === 'localhost';
  const isDefault = !hasRegistry || first === 'docker.io' || first === DEFAULT_REGISTRY;
  return isDefault ? `${DEFAULT_REGISTRY}/${hasRegistry ? image.slice(slash + 1) : image}` : image;
}

/** Hosts match label by label, where `*` stands for a part of a label; ports have to be equal; a path is a prefix. */
function isPlaceOf(place: string, target: string): boolean {
  const [placeHost = '', ...placePath] = place.split('/');
  const [host = '', ...path] = target.split('/');
  const [placeName = '', placePort = ''] = placeHost.split(':');
  const [name = '', port = ''] = host.split(':');
  const [wanted, labels] = [placeName.split('.'), name.split('.')];
  if (placePort !== port || wanted.length !== labels.length) return false;
  if (!wanted.every((pattern, index) => matchesLabel(pattern, labels[index] ?? ''))) return false;
  return path.join('/').startsWith(placePath.join('/'));
}

function matchesLabel(pattern: string, label: string): boolean {
  if (!pattern.includes('*')) return pattern === label;
  const parts = pattern.split('*');
  const [start = ''] = parts;
  const end = parts.at(-1) ?? '';
  if (!label.startsWith(start) || !label.endsWith(end) || label.length < start.length + end.length) return false;
  let at = start.length;
  return parts.slice(1, -1).every((part) => {
    const found = label.indexOf(part, at);
    at = found + part.length;
    return found >= 0 && at <= label.length - end.length;
  });
}
