import { Boxed, ERROR, type Type, UNKNOWN } from '../type-terms/index.ts';

/** What a strict function returns when an argument failed. */
export abstract class Failure extends Boxed {}

/** An evaluation error. It is a value: `||`, `&&`, `?:` and macros may ignore an operand that failed. */
export class CelError extends Failure {
  readonly message: string;

  constructor(message: string) {
    super();
    this.message = message;
  }

  get goName(): string {
    return '*types.Err';
  }

  override get type(): Type {
    return ERROR;
  }
}

/** The result depends on attributes that are not known yet. */
export class UnknownValue extends Failure {
  /** The attributes, such as `request.user`, sorted and unique. */
  readonly attributes: readonly string[];

  constructor(attributes: readonly string[]) {
    super();
    this.attributes = [...new Set(attributes)].sort();
  }

  get goName(): string {
    return '*types.Unknown';
  }

  override get type(): Type {
    return UNKNOWN;
  }

  merge(other: UnknownValue): UnknownValue {
    return new UnknownValue([...this.attributes, ...other.attributes]);
  }
}

export function noSuchOverload(): CelError {
  return new CelError('no such overload');
}

/** The evaluation exceeded its cost limit. Thrown rather than returned, so that no operator can ignore it. */
export class CostLimitExceeded extends Error {
  override readonly name = 'CostLimitExceeded';

  constructor() {
    super('operation cancelled: actual cost limit exceeded');
  }
}

/** A fault at which Kubernetes' implementation panics as well. Thrown; ends the evaluation with an error. */
export class Breakdown extends Error {
  override readonly name = 'Breakdown';
}
