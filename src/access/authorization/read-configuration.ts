import { readFileSync } from 'node:fs';
import { messageOf } from '../../base/index.ts';
import { ConfigMembers } from '../config-members.ts';
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

/** Reads and checks an AuthorizationConfiguration in YAML or JSON; what it does not know is refused. */
export function readAuthorizationConfiguration(text: string): readonly AuthorizerChoice[] {
  return checkConfiguration(text === '' ? [] : written(text));
}

function written(text: string): readonly WrittenAuthorizer[] {
  const root = ConfigMembers.parse(text, refused);
  const [apiVersion, kind] = [root.text('apiVersion'), root.text('kind')];
  if (kind === '') throw refused(`Object 'Kind' is missing in '${text}'`);
  if (kind !== 'AuthorizationConfiguration' || !VERSIONS.some((version) => apiVersion === `${GROUP}/${version}`))
    throw refused(`no kind "${kind}" is registered for version "${apiVersion}" in scheme "pkg/runtime/scheme.go:111"`);
  return root.done(
    root.list('authorizers').map((one) =>
      one.done({
        type: one.text('type'),
        name: one.text('name'),
        webhook: readWebhook(one.object('webhook')),
      }),
    ),
  );
}

function readWebhook(webhook: ConfigMembers | undefined): WrittenWebhook | undefined {
  if (webhook === undefined) return undefined;
  const connection = webhook.object('connectionInfo') ?? webhook.none('connectionInfo');
  return webhook.done({
    authorizedTtlMs: webhook.duration('authorizedTTL') || AUTHORIZED_TTL_MS,
    cacheAuthorizedRequests: webhook.flag('cacheAuthorizedRequests', true),
    unauthorizedTtlMs: webhook.duration('unauthorizedTTL') || UNAUTHORIZED_TTL_MS,
    cacheUnauthorizedRequests: webhook.flag('cacheUnauthorizedRequests', true),
    timeoutMs: webhook.duration('timeout'),
    subjectAccessReviewVersion: webhook.text('subjectAccessReviewVersion'),
    matchConditionSubjectAccessReviewVersion: webhook.text('matchConditionSubjectAccessReviewVersion'),
    failurePolicy: webhook.text('failurePolicy'),
    matchConditions: webhook.list('matchConditions').map((one) => one.done(one.text('expression'))),
    ...connection.done({
      connectionType: connection.text('type'),
      kubeConfigFile: connection.optionalText('kubeConfigFile'),
    }),
  });
}

function refused(why: string, cause?: unknown): AuthorizationConfigError {
  const message = `failed to load AuthorizationConfiguration from file: ${strictly(why)}`;
  return new AuthorizationConfigError(message, cause === undefined ? {} : { cause });
}

function strictly(why: string): string {
  return why.startsWith('unknown field') ? `strict decoding error: ${why}` : why;
}
