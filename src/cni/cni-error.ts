/** The codes of the CNI specification. Plugins use 100 and above for errors of their own. */
export const CNI_CODES = {
  IncompatibleVersion: 1,
  UnsupportedField: 2,
  UnknownContainer: 3,
  InvalidEnvironment: 4,
  IoFailure: 5,
  DecodingFailure: 6,
  InvalidConfiguration: 7,
  /** Not in the specification, but in its library: CNI_NETNS is no network namespace, or that of the plugin itself. */
  InvalidNamespace: 8,
  TryAgainLater: 11,
  /** Of STATUS: no container can be added. */
  NotAvailable: 50,
  /** Of STATUS: no container can be added, and existing ones may be cut off. */
  LimitedConnectivity: 51,
  /** Not in the specification, but in its library: the plugin failed for a reason of its own. */
  Internal: 999,
} as const;

/** The names of the error codes in the CNI specification. */
export type CniErrorName = keyof typeof CNI_CODES;

export interface CniErrorOptions extends ErrorOptions {
  /** A longer text than the message. */
  readonly details?: string;
}

/** The error object of the specification. */
export interface CniErrorObject {
  readonly cniVersion: string;
  readonly code: number;
  readonly msg: string;
  readonly details?: string;
}

/** A failure as CNI reports it: a code, a short message, and perhaps details. Code 0 is one that no code was given for. */
export class CniError extends Error {
  override readonly name = 'CniError';
  readonly code: number;
  /** The short message alone. */
  readonly msg: string;
  readonly details: string | undefined;

  /** `code` is one of the specification's names, or a number: 100 and above are the plugin's own. */
  constructor(code: CniErrorName | number, msg: string, { details, ...options }: CniErrorOptions = {}) {
    super(details === undefined || details === '' ? msg : `${msg}; ${details}`, options);
    this.code = typeof code === 'number' ? code : CNI_CODES[code];
    this.msg = msg;
    this.details = details === '' ? undefined : details;
  }

  /** True when this is the error of that name. */
  is(name: CniErrorName): boolean {
    return this.code === CNI_CODES[name];
  }

  /** The object that plugins print. */
  toObject(cniVersion: string): CniErrorObject {
    const { code, msg, details } = this;
    return { cniVersion, code, msg, ...(details === undefined ? {} : { details }) };
  }

  /** The same error after a text that says what was being done. */
  within(prefix: string): CniError {
    const details = this.details === undefined ? {} : { details: this.details };
    return new CniError(this.code, `${prefix}: ${this.msg}`, { ...details, cause: this });
  }
}

/** Any error as one of CNI: what has no code is `Internal`. */
export function asCniError(error: unknown): CniError {
  if (error instanceof CniError) return error;
  return new CniError('Internal', error instanceof Error ? error.message : String(error), { cause: error });
}
