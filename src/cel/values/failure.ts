import { Boxed, ERROR, type Type, UNKNOWN } from '../type-terms/index.ts';

/** What a strict function passes on instead of a result. */
export abstract class Failure extends Boxed {}

/** An error of evaluation. It is a value: `||`, `&&`, `?:` and macros may get along without the part that failed. */
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

/** The answer depends on attributes that are not known yet. */
export class UnknownValue extends Failure {
  /** The attributes, such as `request.user`, sorted and without repetitions. */
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

/** The cost of an evaluation is higher than allowed. Thrown, since nothing may catch it. */
export class CostLimitExceeded extends Error {
  override readonly name = 'CostLimitExceeded';

  constructor() {
    super('operation cancelled: actual cost limit exceeded');
  }
}

/** A fault where Kubernetes' implementation breaks off as well. Thrown; ends the evaluation with an error. */
export class Breakdown extends Error {
  override readonly name = 'Breakdown';
}
