import type { AuthorizationWebhookOptions } from './webhook-authorizer.ts';

/** The settings of one authorizer of the chain. */
export interface AuthorizerChoice {
  readonly type: string;
  /** The name in metrics; the type in lower case for all but webhooks. */
  readonly name: string;
  /** Set for the type Webhook. */
  readonly webhook?: Omit<AuthorizationWebhookOptions, 'name'>;
}

/** The chain from a configuration file, which is read again when it changes. */
export interface ConfiguredAuthorization {
  readonly file: string;
  readonly text: string;
  readonly authorizers: readonly AuthorizerChoice[];
}

/** A configuration file that cannot be used; the message is kube-apiserver's. */
export class AuthorizationConfigError extends Error {
  override readonly name = 'AuthorizationConfigError';
}

/** An authorizer as written in the file; empty strings and 0 mean "not set", as in Go. */
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
