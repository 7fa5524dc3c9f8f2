import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { YamlBody } from '../../api/index.ts';
import type { WebhookCredential, WebhookTarget } from '../../apiserver/index.ts';

/** A webhook as a file in the format of kubeconfigs names it: the cluster is the webhook, the user is this server. */
export interface ConfiguredWebhook {
  readonly target: WebhookTarget & { readonly url: string };
  readonly credential: WebhookCredential;
}

/** A file that names no webhook which could be called: which one, and what is wrong with it. */
export class WebhookConfigError extends Error {
  override readonly name = 'WebhookConfigError';
}

type Members = Readonly<Record<string, unknown>>;

/** Reads such a file, and the files that it names. Only its current context counts. */
export function readWebhookKubeconfig(path: string): ConfiguredWebhook {
  const refuse = (why: string, cause?: unknown): WebhookConfigError =>
    new WebhookConfigError(`Cannot use webhook configuration "${path}": ${why}`, cause === undefined ? {} : { cause });
  const read = (file: string): string => {
    try {
      return readFileSync(resolve(dirname(path), file), 'utf8');
    } catch (cause) {
      throw refuse(`cannot read "${file}"`, cause);
    }
  };
  const root = parse(read(path), refuse);
  const named = (list: string, member: string, name: string): Members => {
    const entries = Array.isArray(root[list]) ? (root[list] as readonly Members[]) : [];
    const found = entries.find((entry) => entry['name'] === name)?.[member];
    if (typeof found === 'object' && found !== null) return found as Members;
    throw refuse(name === '' ? `it names no ${member}` : `there is no ${member} "${name}"`);
  };
  const context = named('contexts', 'context', text(root, 'current-context'));
  const cluster = named('clusters', 'cluster', text(context, 'cluster'));
  const user = text(context, 'user') === '' ? {} : named('users', 'user', text(context, 'user'));
  if (user['exec'] !== undefined || user['auth-provider'] !== undefined)
    throw refuse('credential plugins are not supported here; use a client certificate or a token');
  const pem = (members: Members, name: string): string | undefined => {
    const data = text(members, `${name}-data`);
    if (data !== '') return Buffer.from(data, 'base64').toString();
    return text(members, name) === '' ? undefined : read(text(members, name));
  };
  const url = text(cluster, 'server');
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw refuse(`server "${url}" is no http or https URL`);
  const [authority, serverName] = [pem(cluster, 'certificate-authority'), text(cluster, 'tls-server-name')];
  const [certificate, key] = [pem(user, 'client-certificate'), pem(user, 'client-key')];
  if ((certificate === undefined) !== (key === undefined)) throw refuse('a client certificate and its key go together');
  const authorization = authorizationOf(user, read);
  return {
    target: {
      url,
      ...(authority === undefined ? {} : { caBundle: Buffer.from(authority).toString('base64') }),
      ...(serverName === '' ? {} : { serverName }),
      ...(cluster['insecure-skip-tls-verify'] === true ? { isInsecure: true } : {}),
    },
    credential: {
      ...(certificate === undefined || key === undefined ? {} : { certificate: { certificate, key } }),
      ...(authorization === undefined ? {} : { authorization }),
    },
  };
}

function parse(content: string, refuse: (why: string, cause?: unknown) => WebhookConfigError): Members {
  let value: unknown;
  try {
    value = new YamlBody(content).untyped();
  } catch (cause) {
    throw refuse('it is not YAML', cause);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw refuse('it is no kubeconfig');
  return value as Members;
}

function text(members: Members, name: string): string {
  const value = members[name];
  return typeof value === 'string' ? value : '';
}

function authorizationOf(user: Members, read: (file: string) => string): string | undefined {
  const token =
    text(user, 'token') === '' && text(user, 'tokenFile') !== ''
      ? read(text(user, 'tokenFile')).trim()
      : text(user, 'token');
  if (token !== '') return `Bearer ${token}`;
  const [name, password] = [text(user, 'username'), text(user, 'password')];
  return name === '' ? undefined : `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;
}
