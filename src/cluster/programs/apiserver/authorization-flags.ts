import {
  type AuthorizationOptions,
  authorizationProblems,
  readAuthorizationFile,
  readWebhookKubeconfig,
} from '../../server-only.ts';
import { FlagError } from '../flag.ts';
import type { FlagDefinitions, FlagValues } from '../flag.ts';
import { durationFlag, fileFlag, usable } from '../read-flags.ts';

/** What requests may do: flags of kube-apiserver, under its names. */
export const authorizationFlags: FlagDefinitions = {
  'authorization-mode': {
    type: 'string',
    multiple: true,
    value: 'NAME,…',
    help: 'Who decides what requests may do: Node, RBAC, ABAC, Webhook, AlwaysAllow, AlwaysDeny (default: Node,RBAC)',
  },
  'authorization-policy-file': { type: 'string', value: 'FILE', help: 'Policies of the mode ABAC, one in a line' },
  'authorization-config': {
    type: 'string',
    value: 'FILE',
    help: 'AuthorizationConfiguration: who decides, in place of --authorization-mode; read again when it changes',
  },
  'authorization-webhook-config-file': {
    type: 'string',
    value: 'FILE',
    help: 'Kubeconfig of the webhook that the mode Webhook asks what requests may do',
  },
  'authorization-webhook-version': {
    type: 'string',
    value: 'v1|v1beta1',
    default: 'v1beta1',
    help: 'Version of SubjectAccessReview that the webhook is asked with',
  },
  'authorization-webhook-cache-authorized-ttl': {
    type: 'string',
    value: 'DURATION',
    default: '5m',
    help: 'How long answers of the webhook count that allow something',
  },
  'authorization-webhook-cache-unauthorized-ttl': {
    type: 'string',
    value: 'DURATION',
    default: '30s',
    help: 'How long other answers of the webhook count',
  },
};

/** What these flags say. */
export function authorizationSettings(flags: FlagValues): AuthorizationOptions {
  const policiesPath = flags.text('authorization-policy-file');
  const policies = fileFlag(flags, 'authorization-policy-file');
  const file = flags.text('authorization-config');
  if (file !== undefined && EXCLUDED.some((name) => flags.has(name)))
    throw new FlagError(
      '--authorization-config can not be specified when --authorization-mode or --authorization-webhook-* flags are defined',
    );
  const options: AuthorizationOptions = {
    ...(flags.has('authorization-mode') ? { modes: flags.list('authorization-mode') } : {}),
    ...(policiesPath === undefined || policies === undefined
      ? {}
      : { policies: { path: policiesPath, text: policies } }),
    ...(file === undefined ? webhookSettings(flags) : { configuration: usable(() => readAuthorizationFile(file)) }),
  };
  const problems = authorizationProblems(options);
  if (problems.length > 0) throw new FlagError(problems.join('; '));
  return options;
}

const EXCLUDED = Object.keys(authorizationFlags).filter((name) => /^authorization-(mode|webhook-)/.test(name));

function webhookSettings(flags: FlagValues): Pick<AuthorizationOptions, 'webhook'> {
  const path = flags.text('authorization-webhook-config-file');
  if (path === undefined) return {};
  const version = flags.text('authorization-webhook-version');
  if (version !== 'v1' && version !== 'v1beta1') {
    throw new FlagError(
      `unsupported webhook authorizer version "${version ?? ''}", supported versions are "v1", "v1beta1"`,
    );
  }
  return {
    webhook: {
      webhook: usable(() => readWebhookKubeconfig(path)),
      version,
      authorizedTtl: durationFlag(flags, 'authorization-webhook-cache-authorized-ttl'),
      unauthorizedTtl: durationFlag(flags, 'authorization-webhook-cache-unauthorized-ttl'),
    },
  };
}
