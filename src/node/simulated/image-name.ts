import { createHash } from 'node:crypto';

const REGISTRY = 'docker.io';

/** The whole name of an image: `nginx` is `docker.io/library/nginx:latest`. */
export function fullImageName(image: string): string {
  const slash = image.indexOf('/');
  const first = slash < 0 ? '' : image.slice(0, slash);
  const hasRegistry = /[.:]/.test(first) || first === 'localhost';
  const named = hasRegistry ? image : `${REGISTRY}/${slash < 0 ? 'library/' : ''}${image}`;
  const last = named.slice(named.lastIndexOf('/') + 1);
  return last.includes('@') || last.includes(':') ? named : `${named}:latest`;
}

/** A digest for an image that does not exist: always the same for the same name. */
export function imageDigest(fullName: string): string {
  const at = fullName.indexOf('@');
  if (at >= 0) return fullName.slice(at + 1);
  return `sha256:${createHash('sha256').update(fullName).digest('hex')}`;
}

/** The image by digest: `docker.io/library/nginx@sha256:…`. */
export function imageReference(fullName: string): string {
  const at = fullName.indexOf('@');
  const named = at < 0 ? fullName : fullName.slice(0, at);
  const colon = named.indexOf(':', named.lastIndexOf('/') + 1);
  return `${colon < 0 ? named : named.slice(0, colon)}@${imageDigest(fullName)}`;
}
