import { statSync } from 'node:fs';
import {
  type ConfigurationKind,
  configurationStruct,
  FLAG,
  JsonBody,
  decodeJson,
  LONG,
  objectOf,
  TEXT,
  YamlBody,
} from '../../api/index.ts';
import { type ConfiguredWebhook, readWebhookKubeconfig } from '../../apiserver/index.ts';
import { formatGoDuration } from '../../base/index.ts';

/** How the image policy webhook is called, and what happens when it fails. */
export interface ImagePolicySettings {
  readonly webhook: ConfiguredWebhook;
  readonly allowTtlMs: number;
  readonly denyTtlMs: number;
  /** The pause before the second attempt; later ones grow. */
  readonly retryBackoffMs: number;
  readonly isFailingOpen: boolean;
}

interface Stated {
  readonly kubeConfigFile?: string;
  readonly allowTTL?: number;
  readonly denyTTL?: number;
  readonly retryBackoff?: number;
  readonly defaultAllow?: boolean;
}

/** The file has no kind, because it is older than configuration kinds. */
const CONFIGURATION: ConfigurationKind = {
  group: '',
  kind: 'AdmissionConfig',
  versions: ['imagepolicy'],
  fields: (version) => ({
    imagePolicy: objectOf(`${version}.imagePolicyWebhookConfig`, {
      kubeConfigFile: TEXT,
      allowTTL: LONG,
      denyTTL: LONG,
      retryBackoff: LONG,
      defaultAllow: FLAG,
    }),
  }),
};

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const NANOSECOND_MS = 1e-6;

/** Reads the plugin's configuration and the kubeconfig it names; errors are worded as kube-apiserver does. */
export function readImagePolicySettings(text: string | undefined): ImagePolicySettings {
  if (text === undefined) throw new Error('no config specified');
  const stated = decoded(text);
  const ttl = { unitMs: SECOND_MS, minMs: SECOND_MS, maxMs: 30 * MINUTE_MS };
  const backoff = { unitMs: 1, minMs: NANOSECOND_MS, maxMs: 5 * MINUTE_MS };
  const retryBackoffMs = duration(stated.retryBackoff, 500, backoff);
  const allowTtlMs = duration(stated.allowTTL, 5 * MINUTE_MS, ttl);
  const denyTtlMs = duration(stated.denyTTL, 30 * SECOND_MS, ttl);
  const { kubeConfigFile: path = '', defaultAllow: isFailingOpen = false } = stated;
  if (path === '')
    throw new Error(
      'invalid configuration: no configuration has been provided, try setting KUBERNETES_MASTER environment variable',
    );
  if (statSync(path, { throwIfNoEntry: false }) === undefined)
    throw new Error(`stat ${path}: no such file or directory`);
  return { webhook: readWebhookKubeconfig(path), allowTtlMs, denyTtlMs, retryBackoffMs, isFailingOpen };
}

function decoded(text: string): Stated {
  const struct = configurationStruct(CONFIGURATION, 'imagepolicy');
  const isJson = text.trimStart().startsWith('{');
  const { value } = isJson ? decodeJson(new JsonBody(text), struct) : new YamlBody(text).decode(struct);
  return (value['imagePolicy'] ?? {}) as Stated;
}

interface Bounds {
  readonly unitMs: number;
  readonly minMs: number;
  readonly maxMs: number;
}

/** 0 means the default, -1 none. */
function duration(stated: number | undefined, usualMs: number, { unitMs, minMs, maxMs }: Bounds): number {
  if (stated === -1) return 0;
  if (stated === undefined || stated === 0) return usualMs;
  const ms = stated * unitMs;
  if (ms >= minMs && ms <= maxMs) return ms;
  throw new Error(`valid value is between ${go(minMs)} and ${go(maxMs)}, got ${go(ms)}`);
}

function go(ms: number): string {
  return formatGoDuration(BigInt(Math.round(ms / NANOSECOND_MS)));
}
