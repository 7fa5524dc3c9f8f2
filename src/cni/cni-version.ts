import { CniError } from './cni-error.ts';

/** Versions of the CNI specification, oldest first. */
export const CNI_VERSIONS = ['0.1.0', '0.2.0', '0.3.0', '0.3.1', '0.4.0', '1.0.0', '1.1.0'] as const;

/** The newest version that is known here. */
export const CURRENT_VERSION = '1.1.0';

/** What a text without `cniVersion` conforms to. */
export const UNSTATED_VERSION = '0.1.0';

/** Negative, 0 or positive, as `left` is older than, the same as, or newer than `right`. */
export function compareVersions(left: string, right: string): number {
  const [a, b] = [partsOf(left), partsOf(right)];
  for (let at = 0; at < 3; at++) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

export function isAtLeast(version: string, minimum: string): boolean {
  return compareVersions(version, minimum) >= 0;
}

/** Major, minor and patch; those that are not written are 0. */
function partsOf(version: string): readonly number[] {
  const parts = (version === '' ? UNSTATED_VERSION : version).split('.');
  if (parts.length > 3 || !parts.every((part) => /^\d{1,9}$/.test(part)))
    throw new CniError('DecodingFailure', `invalid CNI version ${JSON.stringify(version)}`, {
      details: 'it must be numbers with dots between, such as "1.1.0"',
    });
  return parts.map(Number);
}
