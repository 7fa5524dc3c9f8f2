import { ALPHANUMERIC, classAt, DASH, DOT, isAllOf, LOWER, UNDERSCORE, UPPER } from './character-class.ts';
import {
  EMPTY_PROBLEM,
  exceedsBytes,
  patternProblem,
  NO_PROBLEMS,
  rangeProblem,
  maxLengthProblem,
  type Problems,
} from './problem-texts.ts';

const KEY_LIMIT = 253;
const PORT_NAME_LIMIT = 15;
const MAX_PORT = 65_535;
const MAX_ID = 2 ** 31 - 1;

const C_IDENTIFIER_RULE =
  "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_'";
const ENV_VAR_RULE =
  "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit";
const RELAXED_ENV_VAR_RULE =
  "a valid environment variable name must consist only of printable ASCII characters other than '='";
const CONFIG_KEY_RULE = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'";
const HEADER_RULE = "a valid HTTP header must consist of alphanumeric characters or '-'";
const PERCENT_RULE = "a valid percent string must be a numeric string followed by an ending '%'";
const DECIMAL_RULE = 'must be a valid decimal integer in canonical form';

const WORD = ALPHANUMERIC | UNDERSCORE;
const KEY = ALPHANUMERIC | DASH | DOT | UNDERSCORE;
const HTTP_PATH = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
const HTTP_PATH_ONLY = /^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/;

/** Checks a name that becomes a segment of a URL path, as every object's name does. */
export function pathSegmentNameProblems(name: string): Problems {
  if (name === '.' || name === '..') return [`may not be '${name}'`];
  return pathSegmentPrefixProblems(name);
}

/** Checks a prefix of such a name. */
export function pathSegmentPrefixProblems(name: string): Problems {
  const hasSlash = name.includes('/');
  const hasPercent = name.includes('%');
  if (!hasSlash && !hasPercent) return NO_PROBLEMS;
  return [...(hasSlash ? ["may not contain '/'"] : []), ...(hasPercent ? ["may not contain '%'"] : [])];
}

/** Checks a key of a ConfigMap or Secret. */
export function configMapKeyProblems(value: string): Problems {
  const isWellFormed = value !== '' && isAllOf(value, KEY);
  if (isWellFormed && value.length <= KEY_LIMIT && !value.startsWith('.')) return NO_PROBLEMS;
  const problems: string[] = [];
  if (exceedsBytes(value, KEY_LIMIT)) problems.push(maxLengthProblem(KEY_LIMIT, 'characters'));
  if (!isWellFormed)
    problems.push(patternProblem(CONFIG_KEY_RULE, '[-._a-zA-Z0-9]+', ['key.name', 'KEY_NAME', 'key-name']));
  return [...problems, ...parentFolderProblems(value)];
}

/** Checks a C identifier. */
export function cIdentifierProblems(value: string): Problems {
  if ((classAt(value, 0) & (LOWER | UPPER | UNDERSCORE)) !== 0 && isAllOf(value, WORD)) return NO_PROBLEMS;
  return [patternProblem(C_IDENTIFIER_RULE, '[A-Za-z_][A-Za-z0-9_]*', ['my_name', 'MY_NAME', 'MyName'])];
}

/** Checks an environment variable's name by the older, strict rule. */
export function envVarNameProblems(value: string): Problems {
  const isValid = (classAt(value, 0) & (LOWER | UPPER | DASH | DOT | UNDERSCORE)) !== 0 && isAllOf(value, KEY);
  if (isValid) return parentFolderProblems(value);
  const examples = ['my.env-name', 'MY_ENV.NAME', 'MyEnvName1'];
  return [patternProblem(ENV_VAR_RULE, '[-._a-zA-Z][-._a-zA-Z0-9]*', examples), ...parentFolderProblems(value)];
}

/** Checks an environment variable's name by the rule that containers have had since 1.34. */
export function relaxedEnvVarNameProblems(value: string): Problems {
  if (value === '') return [`environment variable name ${EMPTY_PROBLEM}`];
  return /^[ -<>-~]*$/.test(value) ? NO_PROBLEMS : [RELAXED_ENV_VAR_RULE];
}

/** Checks the name of a port (RFC 6335, lower case only). */
export function portNameProblems(value: string): Problems {
  const problems: string[] = [];
  if (exceedsBytes(value, PORT_NAME_LIMIT)) problems.push(maxLengthProblem(PORT_NAME_LIMIT, 'characters'));
  if (!/^[-a-z0-9]+$/.test(value)) {
    problems.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  }
  if (!/[a-z]/.test(value)) problems.push('must contain at least one letter (a-z)');
  if (value.includes('--')) problems.push('must not contain consecutive hyphens');
  if (value.startsWith('-') || value.endsWith('-')) problems.push('must not begin or end with a hyphen');
  return problems.length === 0 ? NO_PROBLEMS : problems;
}

/** Checks a port number. */
export function portNumberProblems(port: number): Problems {
  return rangeProblems(port, 1, MAX_PORT);
}

/** Checks a Unix user or group id. */
export function unixIdProblems(id: number): Problems {
  return rangeProblems(id, 0, MAX_ID);
}

export function rangeProblems(value: number, lowest: number, highest: number): Problems {
  return value >= lowest && value <= highest ? NO_PROBLEMS : [rangeProblem(lowest, highest)];
}

/** Checks the part of a domain-prefixed path after the domain (RFC 3986). */
export function httpPathProblems(value: string): Problems {
  return HTTP_PATH_ONLY.test(value) ? NO_PROBLEMS : [patternProblem('Invalid path', HTTP_PATH, [])];
}

/** Checks an HTTP header's name, as in a probe. */
export function httpHeaderNameProblems(value: string): Problems {
  if (value !== '' && isAllOf(value, ALPHANUMERIC | DASH)) return NO_PROBLEMS;
  return [patternProblem(HEADER_RULE, '[-A-Za-z0-9]+', ['X-Header-Name'])];
}

/** Checks a percentage such as `25%`. */
export function percentProblems(value: string): Problems {
  return /^[0-9]+%$/.test(value) ? NO_PROBLEMS : [patternProblem(PERCENT_RULE, '[0-9]+%', ['1%', '93%'])];
}

/** Checks an integer in plain decimal notation: no plus sign, no leading zeros. */
export function decimalIntegerProblems(value: string): Problems {
  if (value === '') return [EMPTY_PROBLEM];
  return /^(?:0|-?[1-9][0-9]*)$/.test(value) ? NO_PROBLEMS : [DECIMAL_RULE];
}

/** A key may become a file's name, which must not leave its folder. */
function parentFolderProblems(value: string): Problems {
  if (value === '.' || value === '..') return [`must not be '${value}'`];
  return value.startsWith('..') ? ["must not start with '..'"] : NO_PROBLEMS;
}
