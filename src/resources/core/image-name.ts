const LOWER_PATH = /^[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*)*$/;
const DOMAIN =
  /^(?:\[[a-fA-F0-9:]+\]|[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)*)(?::\d+)?$/;
const TAG = /^\w[\w.-]{0,127}$/;
const DIGEST = /^[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[a-fA-F0-9]{32,}$/;
const IDENTIFIER = /^[a-f0-9]{64}$/;
const MAX_PATH_LENGTH = 255;

/**
 * The tag of an image name: `latest` if it has neither tag nor digest; undefined if it only has a digest or is malformed
 * (https://github.com/distribution/reference).
 */
export function imageTag(image: string): string | undefined {
  if (IDENTIFIER.test(image)) return undefined;
  const [name = '', digest, ...more] = image.split('@');
  if (more.length > 0 || (digest !== undefined && !DIGEST.test(digest))) return undefined;
  const slash = name.lastIndexOf('/');
  const colon = name.indexOf(':', slash + 1);
  const tag = colon < 0 ? undefined : name.slice(colon + 1);
  if (tag !== undefined && !TAG.test(tag)) return undefined;
  if (!isRepository(colon < 0 ? name : name.slice(0, colon))) return undefined;
  return tag ?? (digest === undefined ? 'latest' : undefined);
}

function isRepository(name: string): boolean {
  const slash = name.indexOf('/');
  const first = slash < 0 ? '' : name.slice(0, slash);
  const hasDomain = slash >= 0 && (/[.:]/.test(first) || first === 'localhost' || first.toLowerCase() !== first);
  const path = hasDomain ? name.slice(slash + 1) : name;
  if (hasDomain && !DOMAIN.test(first)) return false;
  const whole = hasDomain || slash >= 0 ? path : `library/${path}`;
  return LOWER_PATH.test(path) && whole.length <= MAX_PATH_LENGTH;
}

/** The default pull policy: always if the image may change under the same name. */
export function defaultPullPolicy(image: string): 'Always' | 'IfNotPresent' {
  return imageTag(image) === 'latest' ? 'Always' : 'IfNotPresent';
}
