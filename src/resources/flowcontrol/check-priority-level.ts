import { asJson, type FieldError, forbiddenField, invalidValue, notSupported, required } from '../../api/index.ts';
import { EXEMPT } from '../../api/meaning/index.ts';
import type {
  LimitedPriorityLevelConfiguration,
  LimitResponse,
  PriorityLevelConfiguration,
  PriorityLevelConfigurationSpec,
  QueuingConfiguration,
} from '../../api/types/flowcontrol/v1.d.ts';
import type { Whole } from '../kind.ts';
import { checkFixedLevel } from './fixed-specs.ts';

const MAX_HASH_BITS = 60;

/** An annotation of an older version that must not be stored. */
const KEPT_ZERO = 'flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares';

const TYPES = ['Exempt', 'Limited'];

/** The rules of a priority level: only the part that its type names is looked into. */
export function checkPriorityLevel({ metadata, spec }: Whole<PriorityLevelConfiguration>): FieldError[] {
  const errors: FieldError[] = [];
  if (Object.hasOwn(metadata.annotations ?? {}, KEPT_ZERO)) {
    errors.push(forbiddenField('metadata.annotations', `annotation '${KEPT_ZERO}' is forbidden`));
  }
  const type: string = spec.type ?? '';
  if ((metadata.name === EXEMPT) !== (type === 'Exempt')) {
    errors.push(invalidValue('spec.type', asJson(type), "must be 'Exempt' if and only if `name` is 'exempt'"));
  }
  return [...errors, ...checkByType(spec, type), ...checkFixedLevel(metadata.name ?? '', spec)];
}

function checkByType({ exempt, limited }: PriorityLevelConfigurationSpec, type: string): FieldError[] {
  switch (type) {
    case 'Exempt':
      return [
        ...(limited === undefined ? [] : [forbiddenField('spec.limited', 'must be nil if the type is not Limited')]),
        ...(exempt === undefined ? [] : checkShares(exempt, 'spec.exempt')),
        ...(exempt === undefined ? [] : checkLendable(exempt, 'spec.exempt')),
      ];
    case 'Limited':
      return [
        ...(exempt === undefined ? [] : [forbiddenField('spec.exempt', 'must be nil if the type is Limited')]),
        ...(limited === undefined
          ? [required('spec.limited', 'must not be empty when type is Limited')]
          : checkLimits(limited, 'spec.limited')),
      ];
    case '':
      return [required('spec.type')];
    default:
      return [notSupported('spec.type', asJson(type), TYPES)];
  }
}

interface Shares {
  readonly nominalConcurrencyShares?: number;
  readonly lendablePercent?: number;
}

function checkShares({ nominalConcurrencyShares: shares = 0 }: Shares, path: string): FieldError[] {
  return shares < 0 ? [invalidValue(`${path}.nominalConcurrencyShares`, shares, 'must be a non-negative integer')] : [];
}

function checkLendable({ lendablePercent: share = 0 }: Shares, path: string): FieldError[] {
  if (share >= 0 && share <= 100) return [];
  return [invalidValue(`${path}.lendablePercent`, share, 'must be between 0 and 100, inclusive')];
}

function checkLimits(limited: LimitedPriorityLevelConfiguration, path: string): FieldError[] {
  const { borrowingLimitPercent: most = 0 } = limited;
  const detail = 'if specified, must be a non-negative integer';
  return [
    ...checkShares(limited, path),
    ...checkLimitResponse(limited.limitResponse, `${path}.limitResponse`),
    ...checkLendable(limited, path),
    ...(most < 0 ? [invalidValue(`${path}.borrowingLimitPercent`, most, detail)] : []),
  ];
}

const RESPONSES = ['Queue', 'Reject'];

function checkLimitResponse(response: LimitResponse | undefined, path: string): FieldError[] {
  const { queuing } = response ?? {};
  const type: string = response?.type ?? '';
  const at = `${path}.queuing`;
  switch (type) {
    case 'Reject':
      if (queuing === undefined) return [];
      return [forbiddenField(at, 'must be nil if limited.limitResponse.type is not Limited')];
    case 'Queue':
      if (queuing !== undefined) return checkQueuing(queuing, at);
      return [required(at, 'must not be empty if limited.limitResponse.type is Limited')];
    case '':
      return [required(`${path}.type`)];
    default:
      return [notSupported(`${path}.type`, asJson(type), RESPONSES)];
  }
}

const MAX_QUEUES = 10_000_000;

function checkQueuing(queuing: QueuingConfiguration, path: string): FieldError[] {
  const { queues = 0, handSize = 0, queueLengthLimit = 0 } = queuing;
  const errors: FieldError[] = [];
  const positive = (name: string, value: number): void => {
    if (value <= 0) errors.push(invalidValue(`${path}.${name}`, value, 'must be positive'));
  };
  positive('queueLengthLimit', queueLengthLimit);
  positive('queues', queues);
  if (queues > MAX_QUEUES) {
    errors.push(invalidValue(`${path}.queues`, queues, `must not be greater than ${MAX_QUEUES}`));
  }
  positive('handSize', handSize);
  return [...errors, ...checkHand(queuing, `${path}.handSize`)];
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
