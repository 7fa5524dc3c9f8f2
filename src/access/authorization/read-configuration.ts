import { readFileSync } from 'node:fs';
import { type ConfigurationKind, FLAG, listOf, objectOf, readConfiguration, TEXT } from '../../api/index.ts';
import { messageOf, parseDuration } from '../../base/index.ts';
import { checkConfiguration } from './check-configuration.ts';
import {
  AuthorizationConfigError,
  type AuthorizerChoice,
  type ConfiguredAuthorization,
  type WrittenAuthorizer,
  type WrittenWebhook,
} from './configuration.ts';

const GROUP = 'apiserver.config.k8s.io';
const VERSIONS = ['v1', 'v1beta1', 'v1alpha1'];
const AUTHORIZED_TTL_MS = 300_000;
const UNAUTHORIZED_TTL_MS = 30_000;

/** Reads the file of `--authorization-config`. */
export function readAuthorizationFile(file: string): ConfiguredAuthorization {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    const isMissing = messageOf(cause).startsWith('ENOENT');
    const why = isMissing ? 'no such file or directory' : messageOf(cause);
    throw new AuthorizationConfigError(`open ${file}: ${why}`, { cause });
  }
  return { file, text, authorizers: readAuthorizationConfiguration(text) };
}

/** Parses and validates an AuthorizationConfiguration in YAML or JSON; rejects unknown fields. */
export function readAuthorizationConfiguration(text: string): readonly AuthorizerChoice[] {
  return checkConfiguration(text === '' ? [] : written(text));
}

/** The parsed file: absent fields are undefined. */
interface WrittenFile {
  readonly authorizers?: readonly {
    readonly type?: string;
    readonly name?: string;
    readonly webhook?: WrittenFields;
  }[];
}

interface WrittenFields {
  readonly authorizedTTL?: string;
  readonly cacheAuthorizedRequests?: boolean;
  readonly unauthorizedTTL?: string;
  readonly cacheUnauthorizedRequests?: boolean;
  readonly timeout?: string;
  readonly subjectAccessReviewVersion?: string;
  readonly matchConditionSubjectAccessReviewVersion?: string;
  readonly failurePolicy?: string;
  readonly matchConditions?: readonly { readonly expression?: string }[];
  readonly connectionInfo?: { readonly type?: string; readonly kubeConfigFile?: string };
}

const CONFIGURATION: ConfigurationKind = {
  group: GROUP,
  kind: 'AuthorizationConfiguration',
  versions: VERSIONS,
  fields: (version) => ({
    authorizers: listOf(
      objectOf(`${version}.AuthorizerConfiguration`, {
        type: TEXT,
        name: TEXT,
        webhook: objectOf(`${version}.WebhookConfiguration`, {
          authorizedTTL: TEXT,
          cacheAuthorizedRequests: FLAG,
          unauthorizedTTL: TEXT,
          cacheUnauthorizedRequests: FLAG,
          timeout: TEXT,
          subjectAccessReviewVersion: TEXT,
          matchConditionSubjectAccessReviewVersion: TEXT,
          failurePolicy: TEXT,
          matchConditions: listOf(objectOf(`${version}.WebhookMatchCondition`, { expression: TEXT })),
          connectionInfo: objectOf(`${version}.WebhookConnectionInfo`, { type: TEXT, kubeConfigFile: TEXT }),
        }),
      }),
    ),
  }),
};

function written(text: string): readonly WrittenAuthorizer[] {
  try {
    const { authorizers = [] } = readConfiguration<WrittenFile>(text, [CONFIGURATION], { isStrict: true });
    return authorizers.map(({ type = '', name = '', webhook }) => ({
      type,
      name,
      webhook: webhook === undefined ? undefined : readWebhook(webhook),
    }));
  } catch (cause) {
    const message = `failed to load AuthorizationConfiguration from file: ${messageOf(cause)}`;
    throw new AuthorizationConfigError(message, { cause });
  }
}

function readWebhook(webhook: WrittenFields): WrittenWebhook {
  const { connectionInfo = {}, matchConditions = [] } = webhook;
  return {
    authorizedTtlMs: durationMs(webhook.authorizedTTL) || AUTHORIZED_TTL_MS,
    cacheAuthorizedRequests: webhook.cacheAuthorizedRequests ?? true,
    unauthorizedTtlMs: durationMs(webhook.unauthorizedTTL) || UNAUTHORIZED_TTL_MS,
    cacheUnauthorizedRequests: webhook.cacheUnauthorizedRequests ?? true,
    timeoutMs: durationMs(webhook.timeout),
    subjectAccessReviewVersion: webhook.subjectAccessReviewVersion ?? '',
    matchConditionSubjectAccessReviewVersion: webhook.matchConditionSubjectAccessReviewVersion ?? '',
    failurePolicy: webhook.failurePolicy ?? '',
    matchConditions: matchConditions.map(({ expression = '' }) => expression),
    connectionType: connectionInfo.type ?? '',
    kubeConfigFile: connectionInfo.kubeConfigFile,
  };
}

/** 0 when it is absent. */
function durationMs(text = ''): number {
  return text === '' ? 0 : parseDuration(text);
}
