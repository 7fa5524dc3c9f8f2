import { ALPHANUMERIC, classAt, DASH, DOT, UNDERSCORE } from './character-class.ts';
import { dns1123SubdomainProblems } from './dns-names.ts';
import {
  EMPTY_PROBLEM,
  ENDS_RULE,
  exceedsBytes,
  patternProblem,
  NO_PROBLEMS,
  maxLengthProblem,
  type Problems,
} from './problem-texts.ts';

const LIMIT = 63;
const NAME = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const PARTS = `consist of alphanumeric characters, '-', '_' or '.', ${ENDS_RULE}`;
const NAME_RULE = `must ${PARTS}`;
const NAME_EXAMPLES = ['MyName', 'my.name', '123-abc'];
const VALUE_RULE = `a valid label must be an empty string or ${PARTS}`;

const NAME_CHARACTERS = ALPHANUMERIC | DASH | DOT | UNDERSCORE;
const STANDARD_FINALIZERS: ReadonlySet<string> = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);

/** Checks a qualified name: a label or annotation key, `name` or `example.com/name`. */
export function qualifiedNameProblems(value: string): Problems {
  const slash = value.indexOf('/');
  if (slash < 0) return namePartProblems(value);
  if (value.includes('/', slash + 1)) {
    const problem = patternProblem(NAME_RULE, NAME, NAME_EXAMPLES);
    return [`a valid label key ${problem} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  }
  const ofPrefix = prefixPartProblems(value.slice(0, slash));
  const ofName = namePartProblems(value.slice(slash + 1));
  return ofPrefix.length === 0 ? ofName : [...ofPrefix, ...ofName];
}

/** Checks an annotation key: a qualified name that may have capitals, also before the slash. */
export function annotationKeyProblems(value: string): Problems {
  return qualifiedNameProblems(value.toLowerCase());
}

/** Checks a label's value. */
export function labelValueProblems(value: string): Problems {
  const isValid = value === '' || isName(value);
  if (isValid && value.length <= LIMIT) return NO_PROBLEMS;
  const problems: string[] = [];
  if (exceedsBytes(value, LIMIT)) problems.push(maxLengthProblem(LIMIT, 'bytes'));
  if (!isValid) problems.push(patternProblem(VALUE_RULE, `(${NAME})?`, ['MyValue', 'my_value', '12345']));
  return problems;
}

/** Checks a finalizer of any object. */
export function finalizerNameProblems(value: string): Problems {
  return qualifiedNameProblems(value);
}

/** Checks a finalizer of a core object, which needs a prefix unless it is one of the standard ones. */
export function coreFinalizerNameProblems(value: string): Problems {
  return [...qualifiedNameProblems(value), ...finalizerPrefixProblems(value)];
}

/** Checks only that a finalizer of a core object has a prefix or is one of the standard ones. */
export function finalizerPrefixProblems(value: string): Problems {
  if (value.includes('/') || STANDARD_FINALIZERS.has(value)) return NO_PROBLEMS;
  return ['name is neither a standard finalizer name nor is it fully qualified'];
}

function prefixPartProblems(prefix: string): Problems {
  if (prefix === '') return [`prefix part ${EMPTY_PROBLEM}`];
  const problems = dns1123SubdomainProblems(prefix, 'bytes');
  return problems.length === 0 ? NO_PROBLEMS : problems.map((problem) => `prefix part ${problem}`);
}

function namePartProblems(name: string): Problems {
  const isValid = isName(name);
  if (isValid && name.length <= LIMIT) return NO_PROBLEMS;
  const problems: string[] = [];
  if (name === '') problems.push(`name part ${EMPTY_PROBLEM}`);
  else if (exceedsBytes(name, LIMIT)) problems.push(`name part ${maxLengthProblem(LIMIT, 'bytes')}`);
  if (!isValid) problems.push(`name part ${patternProblem(NAME_RULE, NAME, NAME_EXAMPLES)}`);
  return problems;
}

function isName(value: string): boolean {
  if ((classAt(value, 0) & ALPHANUMERIC) === 0) return false;
  if ((classAt(value, value.length - 1) & ALPHANUMERIC) === 0) return false;
  for (let at = 1; at < value.length - 1; at++) {
    if ((classAt(value, at) & NAME_CHARACTERS) === 0) return false;
  }
  return true;
}
