import { classAt, DASH, DIGIT, DOT, LOWER, UPPER } from './character-class.ts';
import {
  ENDS_RULE,
  exceedsBytes,
  patternProblem,
  NO_PROBLEMS,
  maxLengthProblem,
  type LengthUnit,
  type Problems,
} from './problem-texts.ts';

const LABEL_LIMIT = 63;
const SUBDOMAIN_LIMIT = 253;

const LABEL_1123 = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN_1123 = `${LABEL_1123}(\\.${LABEL_1123})*`;
const LABEL_1035 = '[a-z]([-a-z0-9]*[a-z0-9])?';
const LABEL_UNDERSCORE = '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
const SUBDOMAIN_UNDERSCORE = `${LABEL_UNDERSCORE}(\\.${LABEL_UNDERSCORE})*`;

const LABEL_1123_RULE = `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', ${ENDS_RULE}`;
const SUBDOMAIN_1123_RULE = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', ${ENDS_RULE}`;
const SUBDOMAIN_CASELESS_RULE = `an RFC 1123 subdomain must consist of alphanumeric characters, '-' or '.', ${ENDS_RULE}`;
const SUBDOMAIN_UNDERSCORE_RULE = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', ${ENDS_RULE}`;
const LABEL_1035_RULE =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character";
const WILDCARD_RULE =
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character";

/** Checks a DNS label (RFC 1123), the name of namespaces and containers. */
export function dns1123LabelProblems(value: string, unit: LengthUnit = 'characters'): Problems {
  const isSubdomain = isDotted(value, LOWER | DIGIT);
  const isLabel = isSubdomain && !value.includes('.');
  if (isLabel && value.length <= LABEL_LIMIT) return NO_PROBLEMS;
  const problems = lengthProblems(value, LABEL_LIMIT, unit);
  if (isLabel) return problems;
  return isSubdomain
    ? [...problems, 'must not contain dots']
    : [...problems, patternProblem(LABEL_1123_RULE, LABEL_1123, ['my-name', '123-abc'])];
}

/** Checks a DNS subdomain (RFC 1123), the name of most objects. */
export function dns1123SubdomainProblems(value: string, unit: LengthUnit = 'characters'): Problems {
  const isValid = isDotted(value, LOWER | DIGIT);
  if (isValid && value.length <= SUBDOMAIN_LIMIT) return NO_PROBLEMS;
  const problems = lengthProblems(value, SUBDOMAIN_LIMIT, unit);
  return isValid ? problems : [...problems, patternProblem(SUBDOMAIN_1123_RULE, SUBDOMAIN_1123, ['example.com'])];
}

/** Checks a DNS subdomain that may have capitals; only used for some driver names. */
export function dns1123SubdomainCaselessProblems(value: string): Problems {
  const isValid = isDotted(value, LOWER | UPPER | DIGIT);
  if (isValid && value.length <= SUBDOMAIN_LIMIT) return NO_PROBLEMS;
  const problems = lengthProblems(value, SUBDOMAIN_LIMIT, 'bytes');
  return isValid ? problems : [...problems, patternProblem(SUBDOMAIN_CASELESS_RULE, SUBDOMAIN_1123, ['Example.com'])];
}

/** Checks a DNS subdomain whose labels may contain underscores, as in a pod's DNS search list. */
export function dns1123SubdomainWithUnderscoreProblems(value: string): Problems {
  const problems = lengthProblems(value, SUBDOMAIN_LIMIT, 'characters');
  if (value.split('.').every((label) => /^_?[a-z0-9]/.test(label) && /^[-_a-z0-9]*[a-z0-9]$/.test(label))) {
    return problems;
  }
  return [...problems, patternProblem(SUBDOMAIN_UNDERSCORE_RULE, SUBDOMAIN_UNDERSCORE, ['example.com'])];
}

/** Checks a wildcard host such as `*.example.com`. */
export function wildcardDns1123SubdomainProblems(value: string): Problems {
  const problems = lengthProblems(value, SUBDOMAIN_LIMIT, 'characters');
  if (value.startsWith('*.') && isDotted(value.slice(2), LOWER | DIGIT)) return problems;
  return [...problems, patternProblem(WILDCARD_RULE, `\\*\\.${SUBDOMAIN_1123}`, ['*.example.com'])];
}

/** Checks a DNS label that starts with a letter (RFC 1035), the name of services. */
export function dns1035LabelProblems(value: string): Problems {
  const isValid = classAt(value, 0) === LOWER && isDotted(value, LOWER | DIGIT) && !value.includes('.');
  if (isValid && value.length <= LABEL_LIMIT) return NO_PROBLEMS;
  const problems = lengthProblems(value, LABEL_LIMIT, 'characters');
  return isValid ? problems : [...problems, patternProblem(LABEL_1035_RULE, LABEL_1035, ['my-name', 'abc-123'])];
}

/**
 * Prepares a `generateName` for the check of names, because a suffix will follow a trailing dash. As upstream's, the result
 * is one character shorter, which matters at the length limit.
 */
export function maskTrailingDash(name: string): string {
  if (name.length < 2 || !name.endsWith('-')) return name;
  const isAscii = name.charCodeAt(name.length - 2) < 0x80; // of other characters upstream keeps a part, which is not a valid name
  return `${name.slice(0, isAscii ? -2 : -1)}a`;
}

function lengthProblems(value: string, limit: number, unit: LengthUnit): Problems {
  return exceedsBytes(value, limit) ? [maxLengthProblem(limit, unit)] : NO_PROBLEMS;
}

/** Whether `value` is labels joined by dots: non-empty, of `letters` and dashes, no dash at either end. */
function isDotted(value: string, letters: number): boolean {
  let previous = DOT;
  for (let at = 0; at < value.length; at++) {
    const current = classAt(value, at);
    if ((current & letters) === 0) {
      if (current !== DASH && current !== DOT) return false;
      if (previous === DOT || (current === DOT && previous === DASH)) return false;
    }
    previous = current;
  }
  return (previous & letters) !== 0;
}
