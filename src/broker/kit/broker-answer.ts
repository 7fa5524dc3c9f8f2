import type { OriginatingIdentity } from '../protocol/osb.ts';

/** An answer before it is written. */
export interface BrokerAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a request says beside its subject. */
export interface Asking {
  readonly acceptsIncomplete: boolean;
  readonly originator: OriginatingIdentity | undefined;
  readonly requestId: string | undefined;
}

export const NOTHING = {};

export function answer(status: number, body: unknown = NOTHING): BrokerAnswer {
  return { status, body };
}
