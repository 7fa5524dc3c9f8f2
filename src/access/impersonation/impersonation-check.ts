import type { StatusError } from '../../api/index.ts';
import { type Authorizer, refusal, type RequestInfo, type UserInfo } from '../../apiserver/index.ts';
import type { ImpersonationMetrics } from './impersonation-metrics.ts';

export interface ImpersonationParts {
  readonly authorizer: Authorizer;
  readonly metrics: ImpersonationMetrics;
}

/** Checks whether a user may impersonate; refusals have upstream's texts. */
export class ImpersonationCheck {
  readonly user: UserInfo;
  readonly #parts: ImpersonationParts;
  readonly #signal: AbortSignal;

  constructor(parts: ImpersonationParts, user: UserInfo, signal: AbortSignal) {
    this.#parts = parts;
    this.user = user;
    this.#signal = signal;
  }

  /** The same check for another user. */
  as(user: UserInfo): ImpersonationCheck {
    return new ImpersonationCheck(this.#parts, user, this.#signal);
  }

  /** Undefined when it is allowed. */
  async refusal(info: RequestInfo): Promise<StatusError | undefined> {
    const { user } = this;
    const { authorizer, metrics } = this.#parts;
    const start = metrics.now();
    const { verdict, reason, error } = await authorizer.authorize({ user, info, signal: this.#signal });
    metrics.checked(info.verb, verdict === 'allow', start);
    if (verdict === 'allow') return undefined;
    const why = [error, reason].filter((text) => text !== undefined && text !== '').join(': ');
    return refusal({ user, info }, why);
  }

  /** A refusal that does not depend on authorizers. */
  never(info: RequestInfo, why: string): StatusError {
    return refusal({ user: this.user, info }, why);
  }
}

export const AUTHENTICATION_GROUP = 'authentication.k8s.io';

interface Target {
  readonly group?: string;
  readonly verb: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name: string;
}

/** The authorization question for one property of the wanted user: may the verb be used on the resource that stands for the property? */
export function propertyOf({
  group = AUTHENTICATION_GROUP,
  namespace = '',
  subresource = '',
  ...rest
}: Target): RequestInfo {
  return { isResource: true, path: '', version: 'v1', subpath: '', parts: [], group, namespace, subresource, ...rest };
}
