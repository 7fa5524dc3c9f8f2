import { parseGoInteger, quoteGo, ValueError } from '../../api/values/index.ts';

/** A semantic version. */
export interface SemanticVersion {
  readonly numbers: readonly [major: bigint, minor: bigint, patch: bigint];
  readonly prerelease: readonly (string | bigint)[];
  readonly build: readonly string[];
}

/** Parses a version strictly; a string is a description of the problem. */
export function parseSemver(text: string): SemanticVersion | string {
  if (text === '') return 'Version string empty';
  const [major, minor, ...others] = text.split('.');
  if (others.length === 0) return 'No Major.Minor.Patch elements found';
  const [versioned = '', build] = cut(others.join('.'), '+');
  const [patch = '', prerelease] = cut(versioned, '-');
  const numbers: bigint[] = [];
  for (const [name, digits] of [
    ['major', major],
    ['minor', minor],
    ['patch', patch],
  ] as const) {
    const number = readNumber(name, digits ?? '');
    if (typeof number === 'string') return number;
    numbers.push(number);
  }
  const identifiers = readPrerelease(prerelease);
  if (typeof identifiers === 'string') return identifiers;
  const metadata = build?.split('.') ?? [];
  if (metadata.includes('')) return 'Build meta data is empty';
  const wrong = metadata.find((part) => !/^[0-9A-Za-z-]+$/.test(part));
  if (wrong !== undefined) return `Invalid character(s) found in build meta data ${quoteGo(wrong)}`;
  return { numbers: numbers as unknown as SemanticVersion['numbers'], prerelease: identifiers, build: metadata };
}

function cut(text: string, at: string): readonly [string, string | undefined] {
  const index = text.indexOf(at);
  return index < 0 ? [text, undefined] : [text.slice(0, index), text.slice(index + 1)];
}

function readNumber(name: 'major' | 'minor' | 'patch', digits: string): bigint | string {
  if (!/^[0-9]*$/.test(digits)) return `Invalid character(s) found in ${name} number ${quoteGo(digits)}`;
  const title = name.charAt(0).toUpperCase() + name.slice(1);
  if (/^0./.test(digits)) return `${title} number must not contain leading zeroes ${quoteGo(digits)}`;
  const number = parseGoInteger(digits, 'ParseUint');
  return number instanceof ValueError ? number.message : number;
}

function readPrerelease(text: string | undefined): readonly (string | bigint)[] | string {
  const identifiers: (string | bigint)[] = [];
  for (const part of text?.split('.') ?? []) {
    if (part === '') return 'Prerelease is empty';
    if (/^[0-9]+$/.test(part)) {
      if (/^0./.test(part)) return `Numeric PreRelease version must not contain leading zeroes ${quoteGo(part)}`;
      const number = parseGoInteger(part, 'ParseUint');
      if (number instanceof ValueError) return number.message;
      identifiers.push(number);
    } else if (/^[0-9A-Za-z-]+$/.test(part)) {
      identifiers.push(part);
    } else {
      return `Invalid character(s) found in prerelease ${quoteGo(part)}`;
    }
  }
  return identifiers;
}

/** Drops a `v` and leading zeros, and fills in missing numbers, before parsing. */
export function parseSemverTolerantly(text: string): SemanticVersion | string {
  const parts = cutParts(text.replace(/^v/, '')).map((part) => {
    if (Buffer.byteLength(part) <= 1) return part;
    const trimmed = part.replace(/^0+/, '');
    return /^[0-9]/.test(trimmed) ? trimmed : `0${trimmed}`;
  });
  if (parts.length < 3 && /[+-]/.test(parts.at(-1) ?? '')) {
    return 'short version cannot contain PreRelease/Build meta data';
  }
  while (parts.length < 3) parts.push('0');
  return parseSemver(parts.join('.'));
}

/** Split at the first two dots. */
function cutParts(text: string): string[] {
  const [major = '', minor, ...rest] = text.split('.');
  if (minor === undefined) return [major];
  return rest.length === 0 ? [major, minor] : [major, minor, rest.join('.')];
}

/** -1, 0 or 1; build metadata does not count. */
export function compareSemver(left: SemanticVersion, right: SemanticVersion): number {
  for (const [at, number] of left.numbers.entries()) {
    const other = right.numbers[at] as bigint;
    if (number !== other) return number > other ? 1 : -1;
  }
  if (left.prerelease.length === 0 || right.prerelease.length === 0) {
    return Math.sign(right.prerelease.length - left.prerelease.length);
  }
  for (const [at, identifier] of left.prerelease.entries()) {
    const other = right.prerelease[at];
    if (other === undefined) return 1;
    const order = compareIdentifiers(identifier, other);
    if (order !== 0) return order;
  }
  return left.prerelease.length === right.prerelease.length ? 0 : -1;
}

/** Numbers come before words. */
function compareIdentifiers(left: string | bigint, right: string | bigint): number {
  if (typeof left !== typeof right) return typeof left === 'bigint' ? -1 : 1;
  return left === right ? 0 : left > right ? 1 : -1;
}

export function formatSemver({ numbers, prerelease, build }: SemanticVersion): string {
  const suffix = prerelease.length === 0 ? '' : `-${prerelease.join('.')}`;
  return `${numbers.join('.')}${suffix}${build.length === 0 ? '' : `+${build.join('.')}`}`;
}
