import {
  asJson,
  configMapKeyProblems,
  DecodeError,
  encodeBase64,
  forbiddenField,
  invalidValue,
  JsonBody,
  required,
  tooLong,
} from '../../api/index.ts';
import type { FieldError } from '../../api/index.ts';
import type { Secret } from '../../api/types/core/v1.d.ts';
import { deepEqual } from '../../base/index.ts';
import { ageColumn, column, countOf, nameColumn } from '../columns/column.ts';
import { defineKind, type Whole } from '../kind.ts';
import { withEntries } from '../object-meta.ts';
import { tlsPairProblem } from './tls-pair.ts';
import { decodedLength, MAX_VALUE_BYTES } from './configmaps.ts';

export const secrets = defineKind<Secret>({
  changeSteps: ['metadataChange', 'change', 'metadata', 'object'],
  group: '',
  plural: 'secrets',
  isConfidential: true,
  columns: [
    nameColumn,
    column('Type', 'What the secret is for', ({ type }) => type ?? ''),
    column('Data', 'How many entries it has', ({ data }) => countOf(data)),
    ageColumn,
  ],

  /** `stringData` is write-only: its values are moved to `data`. */
  applyDefaults(secret) {
    const { stringData } = secret;
    if (stringData === undefined) return;
    const encoded = Object.entries(stringData).map(([key, value]) => [key, encodeBase64(Buffer.from(value))]);
    if (encoded.length > 0)
      secret.data = withEntries(secret.data, Object.fromEntries(encoded) as Record<string, string>);
    delete secret.stringData;
  },

  prepareForUpdate(secret, old) {
    if ((secret.type ?? '') === '') secret.type = old.type;
  },

  warnings: pairWarnings,
  validate: checkSecret,
  validateChange: checkSecretUpdate,
  selectable: { type: ({ type }) => type ?? '' },
});

function checkSecret(secret: Whole<Secret>): FieldError[] {
  const { data = {}, type = '' } = secret;
  const errors: FieldError[] = [];
  let bytes = 0;
  for (const [key, value] of Object.entries(data)) {
    for (const problem of configMapKeyProblems(key)) errors.push(invalidValue(`data[${key}]`, key, problem));
    bytes += decodedLength(value);
  }
  if (bytes > MAX_VALUE_BYTES) errors.push(tooLong('data', MAX_VALUE_BYTES));
  return [...errors, ...(rulesByType[type]?.(secret) ?? [])];
}

/** A certificate that does not go with its key is stored, but of no use. */
function pairWarnings({ type, data = {} }: Whole<Secret>): string[] {
  if (type !== 'kubernetes.io/tls') return [];
  const [certificate, key] = ['tls.crt', 'tls.key'].map((name) => Buffer.from(data[name] ?? '', 'base64'));
  const problem = tlsPairProblem(certificate as Buffer, key as Buffer);
  return problem === undefined ? [] : [problem];
}

const ACCOUNT_NAME = 'kubernetes.io/service-account.name';

/** The rules of secret types that Kubernetes itself reads. */
const rulesByType: Readonly<Record<string, (secret: Whole<Secret>) => FieldError[]>> = {
  'kubernetes.io/service-account-token': ({ metadata }) =>
    (metadata.annotations?.[ACCOUNT_NAME] ?? '') === '' ? [required(`metadata.annotations[${ACCOUNT_NAME}]`)] : [],
  'kubernetes.io/dockercfg': (secret) => checkDockerConfig(secret, '.dockercfg'),
  'kubernetes.io/dockerconfigjson': (secret) => checkDockerConfig(secret, '.dockerconfigjson'),
  'kubernetes.io/basic-auth': ({ data = {} }) =>
    data['username'] === undefined && data['password'] === undefined
      ? [required('data[username]'), required('data[password]')]
      : [],
  'kubernetes.io/ssh-auth': ({ data = {} }) =>
    (data['ssh-privatekey'] ?? '') === '' ? [required('data[ssh-privatekey]')] : [],
  'kubernetes.io/tls': ({ data = {} }) => missing(data, ['tls.crt', 'tls.key']),
};

function missing(data: Readonly<Record<string, string>>, keys: readonly string[]): FieldError[] {
  return keys.filter((key) => data[key] === undefined).map((key) => required(`data[${key}]`));
}

function checkDockerConfig({ data = {} }: Secret, key: string): FieldError[] {
  const value = data[key];
  if (value === undefined) return [required(`data[${key}]`)];
  const problem = jsonObjectProblem(Buffer.from(value, 'base64'));
  return problem === undefined ? [] : [invalidValue(`data[${key}]`, '<secret contents redacted>', problem)];
}

/** Why bytes are not a JSON object, in Go's words. */
function jsonObjectProblem(bytes: Buffer): string | undefined {
  try {
    void new JsonBody(bytes);
  } catch (error) {
    if (error instanceof DecodeError) return error.message;
    throw error;
  }
  const value: unknown = JSON.parse(bytes.toString('utf8'));
  if (value === null || (typeof value === 'object' && !Array.isArray(value))) return undefined;
  const kind = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
  return `json: cannot unmarshal ${kind} into Go value of type map[string]interface {}`;
}

function checkSecretUpdate(secret: Whole<Secret>, old: Whole<Secret>): FieldError[] {
  const errors: FieldError[] = [];
  if (secret.type !== old.type) errors.push(invalidValue('type', asJson(secret.type ?? ''), 'field is immutable'));
  if (old.immutable === true) {
    const detail = 'field is immutable when `immutable` is set';
    if (secret.immutable !== true) errors.push(forbiddenField('immutable', detail));
    if (!deepEqual(secret.data ?? {}, old.data ?? {})) errors.push(forbiddenField('data', detail));
  }
  return errors;
}
