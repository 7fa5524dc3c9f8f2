import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { YamlBody } from '../../api/index.ts';
import { messageOf } from '../../base/index.ts';
import type { WebhookCredential } from './webhook-client-options.ts';
import type { WebhookTarget } from './webhook-target.ts';

/** A webhook from a kubeconfig file: the cluster is the webhook, the user is this server. */
export interface ConfiguredWebhook {
  readonly target: WebhookTarget & { readonly url: string };
  readonly credential: WebhookCredential;
}

/** A kubeconfig file without a usable webhook; the message names the file and the problem. */
export class WebhookConfigError extends Error {
  override readonly name = 'WebhookConfigError';
}

type Members = Readonly<Record<string, unknown>>;

/** Reads such a file, and the files that it names. Only its current context is used. */
export function readWebhookKubeconfig(path: string): ConfiguredWebhook {
  const file = new KubeconfigFile(path);
  const context = file.current;
  const cluster = file.named('clusters', 'cluster', text(context, 'cluster'));
  const user = text(context, 'user') === '' ? {} : file.named('users', 'user', text(context, 'user'));
  const url = text(cluster, 'server');
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw file.refusal(`server "${url}" is not an http or https URL`);
  const [authority, serverName] = [file.pem(cluster, 'certificate-authority'), text(cluster, 'tls-server-name')];
  return {
    target: {
      url,
      ...(authority === undefined ? {} : { caBundle: Buffer.from(authority).toString('base64') }),
      ...(serverName === '' ? {} : { serverName }),
      ...(cluster['insecure-skip-tls-verify'] === true ? { isInsecure: true } : {}),
    },
    credential: file.credentialOf(user),
  };
}

/** This server's credentials for webhooks, by names of users such as `hook.default.svc`, `*.example.com:8443` or `*`. */
export class WebhookUsers {
  readonly #users: ReadonlyMap<string, WebhookCredential>;
  /** The user of the file's current context. */
  readonly #usual: WebhookCredential | undefined;

  /** Reads a kubeconfig file, and the files that it names. */
  constructor(path: string) {
    const file = new KubeconfigFile(path);
    this.#users = new Map(
      file.entries('users').map(({ name, user }) => [String(name), file.credentialOf((user ?? {}) as Members)]),
    );
    this.#usual = this.#users.get(text(file.currentOrNone, 'user'));
  }

  /** The user for `host:port`: of that name, else with wildcards for its first labels, else the same without port 443, else `*`. */
  credentialFor(hostAndPort: string): WebhookCredential | undefined {
    const host = hostAndPort.endsWith(':443') ? hostAndPort.slice(0, -':443'.length) : undefined;
    return (
      this.#matching(hostAndPort) ??
      (host === undefined ? undefined : this.#matching(host)) ??
      this.#users.get('*') ??
      this.#usual
    );
  }

  #matching(name: string): WebhookCredential | undefined {
    const labels = name.split('.');
    const names = [name, ...labels.slice(1).map((_, index) => `*.${labels.slice(index + 1).join('.')}`)];
    const found = names.find((each) => this.#users.has(each));
    return found === undefined ? undefined : this.#users.get(found);
  }
}

/** A kubeconfig file; the paths in it are relative to its folder. */
class KubeconfigFile {
  readonly #path: string;
  readonly #root: Members;

  constructor(path: string) {
    this.#path = path;
    this.#root = this.#parse(this.#content());
  }

  get current(): Members {
    return this.named('contexts', 'context', text(this.#root, 'current-context'));
  }

  get currentOrNone(): Members {
    return text(this.#root, 'current-context') === '' ? {} : this.current;
  }

  entries(list: string): readonly Members[] {
    return Array.isArray(this.#root[list]) ? (this.#root[list] as readonly Members[]) : [];
  }

  named(list: string, member: string, name: string): Members {
    const found = this.entries(list).find((entry) => entry['name'] === name)?.[member];
    if (typeof found === 'object' && found !== null) return found as Members;
    throw this.refusal(name === '' ? `it names no ${member}` : `there is no ${member} "${name}"`);
  }

  refusal(why: string, cause?: unknown): WebhookConfigError {
    const message = `Cannot use webhook configuration "${this.#path}": ${why}`;
    return new WebhookConfigError(message, cause === undefined ? {} : { cause });
  }

  pem(members: Members, name: string): string | undefined {
    const data = text(members, `${name}-data`);
    if (data !== '') return Buffer.from(data, 'base64').toString();
    return text(members, name) === '' ? undefined : this.#read(text(members, name));
  }

  credentialOf(user: Members): WebhookCredential {
    if (user['exec'] !== undefined || user['auth-provider'] !== undefined)
      throw this.refusal('credential plugins are not supported here; use a client certificate or a token');
    const [certificate, key] = [this.pem(user, 'client-certificate'), this.pem(user, 'client-key')];
    if ((certificate === undefined) !== (key === undefined))
      throw this.refusal('a client certificate and its key go together');
    const authorization = this.#authorizationOf(user);
    return {
      ...(certificate === undefined || key === undefined ? {} : { certificate: { certificate, key } }),
      ...(authorization === undefined ? {} : { authorization }),
    };
  }

  #authorizationOf(user: Members): string | undefined {
    const token =
      text(user, 'token') === '' && text(user, 'tokenFile') !== ''
        ? this.#read(text(user, 'tokenFile')).trim()
        : text(user, 'token');
    if (token !== '') return `Bearer ${token}`;
    const [name, password] = [text(user, 'username'), text(user, 'password')];
    return name === '' ? undefined : `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;
  }

  /** Its own text: the path is relative to the working folder, as in kube-apiserver. */
  #content(): string {
    try {
      return readFileSync(this.#path, 'utf8');
    } catch (cause) {
      throw this.refusal(`cannot read it: ${messageOf(cause)}`, cause);
    }
  }

  #read(file: string): string {
    try {
      return readFileSync(resolve(dirname(this.#path), file), 'utf8');
    } catch (cause) {
      throw this.refusal(`cannot read "${file}"`, cause);
    }
  }

  #parse(content: string): Members {
    let value: unknown;
    try {
      value = new YamlBody(content).untyped();
    } catch (cause) {
      throw this.refusal('it is not YAML', cause);
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw this.refusal('it is not a kubeconfig');
    return value as Members;
  }
}

function text(members: Members, name: string): string {
  const value = members[name];
  return typeof value === 'string' ? value : '';
}
