import { type FieldError, forbiddenField, invalidValue, required } from '../../api/index.ts';
import { EXEMPT } from '../../api/meaning/index.ts';
import type {
  LimitResponse,
  PriorityLevelConfiguration,
  QueuingConfiguration,
} from '../../api/types/flowcontrol/v1.d.ts';
import type { Whole } from '../kind.ts';
import { checkFixedLevel } from './fixed-specs.ts';

const MAX_HASH_BITS = 60;

/** An annotation of an older version that must not be stored. */
const KEPT_ZERO = 'flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares';

/** Which fields of a priority level fit together; the limits of its numbers are in the type table. */
export function checkPriorityLevel({ metadata, spec }: Whole<PriorityLevelConfiguration>): FieldError[] {
  const errors: FieldError[] = [];
  if (Object.hasOwn(metadata.annotations ?? {}, KEPT_ZERO)) {
    errors.push(forbiddenField('metadata.annotations', `annotation '${KEPT_ZERO}' is forbidden`));
  }
  if ((metadata.name === EXEMPT) !== (spec.type === 'Exempt')) {
    errors.push(invalidValue('spec.type', spec.type, "must be 'Exempt' if and only if `name` is 'exempt'"));
  }
  const { exempt, limited } = spec;
  if (spec.type === 'Exempt' && limited !== undefined) {
    errors.push(forbiddenField('spec.limited', 'must be nil if the type is not Limited'));
  }
  const fixed = checkFixedLevel(metadata.name ?? '', spec);
  if (spec.type !== 'Limited') return [...errors, ...fixed];
  if (exempt !== undefined) errors.push(forbiddenField('spec.exempt', 'must be nil if the type is Limited'));
  if (limited === undefined) errors.push(required('spec.limited', 'must not be empty when type is Limited'));
  else errors.push(...checkLimitResponse(limited.limitResponse, 'spec.limited.limitResponse'));
  return [...errors, ...fixed];
}

function checkLimitResponse(response: LimitResponse | undefined, path: string): FieldError[] {
  const { type, queuing } = response ?? {};
  const at = `${path}.queuing`;
  if (type === 'Reject' && queuing !== undefined) {
    return [forbiddenField(at, 'must be nil if limited.limitResponse.type is not Limited')];
  }
  if (type !== 'Queue') return [];
  if (queuing === undefined) return [required(at, 'must not be empty if limited.limitResponse.type is Limited')];
  return checkHand(queuing, `${at}.handSize`);
}

/** The queues of a hand are drawn by one hash, whose bits are limited. */
function checkHand({ queues = 0, handSize = 0 }: QueuingConfiguration, path: string): FieldError[] {
  if (handSize <= 0) return [];
  if (handSize > queues) return [invalidValue(path, handSize, `should not be greater than queues (${queues})`)];
  if (entropyBits(queues, handSize) <= MAX_HASH_BITS) return [];
  return [
    invalidValue(
      path,
      handSize,
      `required entropy bits of deckSize ${queues} and handSize ${handSize} should not be greater than ${MAX_HASH_BITS}`,
    ),
  ];
}

function entropyBits(deck: number, hand: number): number {
  return Math.ceil(Math.log2(deck) * hand);
}
