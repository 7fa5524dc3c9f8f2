import {
  asJson,
  type FieldError,
  invalidValue,
  notSupported,
  qualifiedNameProblems,
  required,
} from '../../api/index.ts';
import type { LeaseCandidate } from '../../api/types/coordination/v1beta1.d.ts';
import { compareSemver, parseSemver, type SemanticVersion } from '../../cel/index.ts';
import type { Whole } from '../kind.ts';

const OLDEST = 'OldestEmulationVersion';
/** What counts for a version that is missing or malformed. */
const ZERO: SemanticVersion = { numbers: [0n, 0n, 0n], prerelease: [], build: [] };

export function checkLeaseCandidate({ spec }: Whole<LeaseCandidate>): FieldError[] {
  const { leaseName = '', binaryVersion = '', emulationVersion = '', strategy = '' } = spec;
  const errors = leaseName === '' ? [required('spec.leaseName')] : [];
  const read = (text: string, field: string): SemanticVersion => {
    const version = parseSemver(text);
    if (typeof version !== 'string') return version;
    if (text !== '') errors.push(invalidValue(field, text, 'must be a valid semantic version'));
    return ZERO;
  };
  const emulated = read(emulationVersion, 'spec.emulationVersion');
  if (binaryVersion === '') errors.push(required('spec.binaryVersion'));
  const binary = read(binaryVersion, 'spec.binaryVersion');
  if (binaryVersion !== '' && emulationVersion !== '' && compareSemver(binary, emulated) < 0) {
    const detail = 'must be greater than or equal to `emulationVersion`';
    errors.push(invalidValue('spec.binaryVersion', binaryVersion, detail));
  }
  if (strategy === '') return [...errors, required('spec.strategy')];
  if (strategy === OLDEST && compareSemver(emulated, ZERO) === 0) {
    errors.push(required('spec.emulationVersion', `must be specified when \`strategy\` is '${OLDEST}'`));
  }
  return [...errors, ...checkStrategy(strategy)];
}

/** The strategies of Kubernetes itself, or a name with a domain. */
function checkStrategy(strategy: string): FieldError[] {
  const field = 'spec.strategy.strategy';
  if (!strategy.includes('/')) return strategy === OLDEST ? [] : [notSupported(field, asJson(strategy), [OLDEST])];
  return qualifiedNameProblems(strategy).map((problem) => invalidValue(field, asJson(strategy), problem));
}
