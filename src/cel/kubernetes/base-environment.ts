import type { MinorVersion } from '../../base/index.ts';
import {
  type Validator,
  validateFormats,
  validateHomogeneousLiterals,
  validateLiteralCalls,
  validateRegexLiterals,
} from '../check/validators.ts';
import { Environment, type EnvironmentParts } from '../environment.ts';
import { listsLibrary } from '../library/lists.ts';
import { optionalsLibrary } from '../library/optionals.ts';
import { setsLibrary } from '../library/sets.ts';
import { standardLibrary } from '../library/standard/index.ts';
import { toDuration, toTimestamp } from '../library/standard/conversions.ts';
import { stringsLibrary } from '../library/strings.ts';
import { twoVariablesLibrary } from '../library/two-variables.ts';
import { wellKnownTypes } from '../library/protobuf/well-known.ts';
import type { Expr } from '../syntax/index.ts';
import { CelError } from '../values/index.ts';
import {
  authorizerLibrary,
  authorizerSelectorsLibrary,
  cidrLibrary,
  formatLibrary,
  ipLibrary,
  kubernetesListsLibrary,
  quantityLibrary,
  regexLibrary,
  semverLibrary,
  urlLibrary,
} from './libraries/index.ts';

/** Expressions that are already stored may use everything. */
export const STORED: MinorVersion = Number.POSITIVE_INFINITY;

/** Something that an environment has from one version on (and up to another one). */
interface Since {
  readonly from: MinorVersion;
  readonly until?: MinorVersion;
  readonly parts: () => EnvironmentParts;
}

/** The libraries and rules of the language, in the order in which Kubernetes adds them. */
const additions: readonly Since[] = [
  {
    from: 0,
    parts: () => ({
      libraries: [standardLibrary(), urlLibrary(), regexLibrary(), kubernetesListsLibrary()],
      types: [wellKnownTypes],
      validators: [validateHomogeneousLiterals],
    }),
  },
  { from: 27, parts: () => ({ libraries: [authorizerLibrary()] }) },
  {
    from: 28,
    parts: () => ({
      libraries: [optionalsLibrary(), quantityLibrary()],
      hasOptionals: true,
      comparesNumberTypes: true,
    }),
  },
  { from: 29, parts: () => ({ validators: literalValidators }) },
  { from: 0, until: 29, parts: () => ({ libraries: [stringsLibrary(0)] }) },
  { from: 29, parts: () => ({ libraries: [stringsLibrary(2)], validators: [validateFormats] }) },
  { from: 29, parts: () => ({ libraries: [setsLibrary()] }) },
  { from: 30, parts: () => ({ libraries: [ipLibrary(), cidrLibrary()] }) },
  { from: 31, parts: () => ({ libraries: [formatLibrary()] }) },
  { from: 31, parts: () => ({ libraries: [authorizerSelectorsLibrary()] }) },
  { from: 32, parts: () => ({ libraries: [twoVariablesLibrary()] }) },
  { from: 33, parts: () => ({ libraries: [semverLibrary()] }) },
  { from: 34, parts: () => ({ libraries: [listsLibrary()] }) },
];

const literalValidators: readonly Validator[] = [
  validateLiteralCalls('duration', isValidCall('duration')),
  validateLiteralCalls('timestamp', isValidCall('timestamp')),
  validateRegexLiterals,
];

/** Whether converting a literal string succeeds. */
function isValidCall(name: 'duration' | 'timestamp'): (literal: Expr) => boolean {
  return (literal) => {
    if (literal.kind !== 'literal') return true;
    if (literal.literal.kind === 'null') return false;
    const { kind, value } = literal.literal;
    const convert = name === 'duration' ? toDuration : toTimestamp;
    const converted = kind === 'int' || kind === 'string' ? convert(value) : undefined;
    return converted !== undefined && !(converted instanceof CelError);
  };
}

const environments = new Map<MinorVersion, Environment>();

/** The environment, without variables, for expressions that must work in a version. Cached per version. */
export function baseEnvironment(version: MinorVersion = STORED): Environment {
  const known = environments.get(version);
  if (known !== undefined) return known;
  let environment = new Environment({});
  for (const { from, until, parts } of additions) {
    if (version >= from && (until === undefined || version < until)) environment = environment.extend(parts());
  }
  environments.set(version, environment);
  return environment;
}
