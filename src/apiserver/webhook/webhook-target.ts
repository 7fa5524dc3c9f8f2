import { isIP } from 'node:net';
import type { DialAddress } from '../../wire/http/index.ts';

/** Where a webhook is, as `clientConfig` of every kind of webhook describes it. */
export interface WebhookTarget {
  readonly url?: string;
  readonly service?: WebhookService;
  /** The address to connect to instead of the host of `url`. */
  readonly address?: DialAddress;
  /** Base64 of PEM: the trusted authorities. Absent or blank: the system's. */
  readonly caBundle?: string;
  /** The name that the certificate must have instead of the host's. */
  readonly serverName?: string;
  /** Whether to skip verification of the certificate; only when an operator has configured it. */
  readonly isInsecure?: boolean;
}

export interface WebhookService {
  readonly namespace: string;
  readonly name: string;
  readonly path?: string;
  /** Default 443. */
  readonly port?: number;
}

const HTTPS_PORT = 443;

/** The URL of a webhook in messages; names of services are never resolved as host names. */
export function webhookUrl({ url, service }: WebhookTarget): URL {
  if (service !== undefined) {
    const { path = '', port = HTTPS_PORT } = service;
    return urlOf(`https://${serviceHost(service)}:${port}`, path);
  }
  if (url === undefined || url === '') throw new Error('webhook configuration must have either service or URL');
  if (!URL.canParse(url)) throw new Error(`Unparsable URL: parse ${JSON.stringify(url)}: invalid URL`);
  const { protocol, host, pathname } = new URL(url);
  return urlOf(`${protocol}//${host}`, pathname);
}

/** The URL as Go writes it: the port of a service is always included, even the default one. */
export function webhookUrlText(target: WebhookTarget, query: string): string {
  const { protocol, host, hostname, pathname } = webhookUrl(target);
  const { service } = target;
  const shownHost = service === undefined ? host : `${hostname}:${service.port ?? HTTPS_PORT}`;
  return `${protocol}//${shownHost}${pathname}${query === '' ? '' : `?${query}`}`;
}

/** The name that the certificate of a service must have. */
export function serviceHost({ name, namespace }: WebhookService): string {
  return `${name}.${namespace}.svc`;
}

/** Upstream uses HTTP/2 only on its own machine: elsewhere one connection would send all requests to one of many backends. */
export function isOwnMachine({ hostname }: URL): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').toLowerCase();
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

/** PEM of the trusted authorities; undefined for the system's. */
export function authoritiesOf({ caBundle = '' }: WebhookTarget): string | undefined {
  const pem = Buffer.from(caBundle, 'base64').toString();
  return pem.trim() === '' ? undefined : pem;
}

function urlOf(origin: string, path: string): URL {
  const url = new URL(origin);
  const steps: string[] = [];
  for (const step of path.split('/')) {
    if (step === '..') steps.pop();
    else if (step !== '' && step !== '.') steps.push(step);
  }
  url.pathname = `/${steps.join('/')}`;
  return url;
}
