import { forbiddenField, invalidValue, required } from '../../api/index.ts';
import type { FieldError } from '../../api/index.ts';
import type {
  LimitResponse,
  PriorityLevelConfiguration,
  QueuingConfiguration,
} from '../../api/types/flowcontrol/v1.d.ts';
import type { Whole } from '../kind.ts';

const EXEMPT = 'exempt';
const MAX_HASH_BITS = 60;

/** Which parts of a priority level belong together; the bounds of its numbers are in the type table. */
export function checkPriorityLevel({ metadata, spec }: Whole<PriorityLevelConfiguration>): FieldError[] {
  const errors: FieldError[] = [];
  if ((metadata.name === EXEMPT) !== (spec.type === 'Exempt')) {
    errors.push(invalidValue('spec.type', spec.type, "must be 'Exempt' if and only if `name` is 'exempt'"));
  }
  const { exempt, limited } = spec;
  if (spec.type === 'Exempt' && limited !== undefined) {
    errors.push(forbiddenField('spec.limited', 'must be nil if the type is not Limited'));
  }
  if (spec.type !== 'Limited') return errors;
  if (exempt !== undefined) errors.push(forbiddenField('spec.exempt', 'must be nil if the type is Limited'));
  if (limited === undefined) errors.push(required('spec.limited', 'must not be empty when type is Limited'));
  else errors.push(...checkLimitResponse(limited.limitResponse, 'spec.limited.limitResponse'));
  return errors;
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

/** A hand is drawn from the queues by one hash, whose bits are limited. */
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
  let bits = 0;
  for (let dealt = 0; dealt < hand && bits <= MAX_HASH_BITS; dealt += 1) bits += Math.log2(deck - dealt);
  return Math.ceil(bits);
}
