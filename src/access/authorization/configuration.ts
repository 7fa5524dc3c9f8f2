import type { AuthorizationWebhookOptions } from './webhook-authorizer.ts';

/** One authorizer of the chain, ready to be made. */
export interface AuthorizerChoice {
  readonly type: string;
  /** Told in metrics; the type in lower case for all but webhooks. */
  readonly name: string;
  /** There for the type Webhook. */
  readonly webhook?: Omit<AuthorizationWebhookOptions, 'name'>;
}

/** The chain that a file describes; it is read again when it changes. */
export interface ConfiguredAuthorization {
  readonly file: string;
  readonly text: string;
  readonly authorizers: readonly AuthorizerChoice[];
}

/** A file that describes no chain of authorizers: what is wrong with it, in kube-apiserver's words. */
export class AuthorizationConfigError extends Error {
  override readonly name = 'AuthorizationConfigError';
}

/** An authorizer as it stands in a file; empty texts and 0 stand for what is not given, as in Go. */
export interface WrittenAuthorizer {
  readonly type: string;
  readonly name: string;
  readonly webhook: WrittenWebhook | undefined;
}

export interface WrittenWebhook {
  readonly authorizedTtlMs: number;
  readonly cacheAuthorizedRequests: boolean;
  readonly unauthorizedTtlMs: number;
  readonly cacheUnauthorizedRequests: boolean;
  readonly timeoutMs: number;
  readonly subjectAccessReviewVersion: string;
  readonly matchConditionSubjectAccessReviewVersion: string;
  readonly failurePolicy: string;
  readonly connectionType: string;
  readonly kubeConfigFile: string | undefined;
  readonly matchConditions: readonly string[];
}
