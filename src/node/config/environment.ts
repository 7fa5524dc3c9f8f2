// The environment variables of a container, from its pod and from what the pod refers to.
import { Buffer } from 'node:buffer';
import { posix } from 'node:path';
import type { DeepReadonly } from '../../base/index.ts';
import type { Observed, Pod } from '../../client/index.ts';
import type { ContainerSpec } from '../life/index.ts';
import { ContainerConfigError } from './config-error.ts';
import { type ExpansionBudget, expandVariables } from './expand-variables.ts';
import { fieldValue, type PodAddresses, resourceValue } from './field-values.ts';
import { environment, type Environment } from './service-variables.ts';

import type * as core from '../../api/types/core/v1.d.ts';

export type KeyedData = Readonly<Record<string, string>>;

/** ConfigMaps and Secrets by namespace and name, as text; undefined when there is none. */
export interface ReferencedData {
  configMap(namespace: string, name: string): Promise<KeyedData | undefined>;
  /** Values in base64. */
  secret(namespace: string, name: string): Promise<KeyedData | undefined>;
}

export interface EnvironmentParts extends PodAddresses {
  readonly data: ReferencedData;
  readonly services: Environment;
  readonly allocatable: Readonly<Record<string, string>>;
  /** Charged for every variable but those of services, which all pods of a namespace share. */
  readonly budget: ExpansionBudget;
  /** Reads a file of a volume; undefined when volumes have no files. */
  readFile(volume: string, path: string): Promise<string | undefined>;
}

type Source = NonNullable<NonNullable<ContainerSpec['env']>[number]['valueFrom']>;

/** Variables of services, overridden by `envFrom`, overridden by `env`. Throws a `ContainerConfigError` when an object is missing. */
export async function environmentOf(
  pod: Observed<Pod>,
  container: ContainerSpec,
  parts: EnvironmentParts,
): Promise<Environment> {
  const { env = [], envFrom = [] } = container;
  if (env.length === 0 && envFrom.length === 0) return parts.services;
  const reader = new SourceReader(pod, container, parts);
  const { budget, services } = parts;
  const own = new Map<string, string>();
  const keep = (name: string, value: string): void => {
    budget.take(name.length + value.length);
    own.set(name, value);
  };
  for (const { prefix = '', configMapRef, secretRef } of envFrom) {
    const data =
      configMapRef === undefined
        ? secretRef === undefined
          ? {}
          : await reader.secret(secretRef)
        : await reader.configMap(configMapRef);
    for (const [key, value] of Object.entries(data ?? {})) keep(prefix + key, value);
  }
  const lookUp = (name: string): string | undefined => own.get(name) ?? services.byName.get(name);
  for (const { name, value = '', valueFrom } of env) {
    if (value !== '' || valueFrom === undefined) {
      budget.take(name.length);
      own.set(name, expandVariables(value, lookUp, budget));
      continue;
    }
    const found = await reader.valueOf(valueFrom);
    if (found !== undefined) keep(name, found);
  }
  return environment(new Map([...own, ...[...services.byName].filter(([name]) => !own.has(name))]));
}

type Reference = DeepReadonly<{ name?: string; optional?: boolean }>;

/** Reads what a variable refers to; undefined when that is optional and missing. */
class SourceReader {
  readonly #pod: Observed<Pod>;
  readonly #container: ContainerSpec;
  readonly #parts: EnvironmentParts;

  constructor(pod: Observed<Pod>, container: ContainerSpec, parts: EnvironmentParts) {
    this.#pod = pod;
    this.#container = container;
    this.#parts = parts;
  }

  async configMap({ name = '', optional = false }: Reference): Promise<KeyedData | undefined> {
    const data = await this.#parts.data.configMap(this.#namespace, name);
    if (data === undefined && !optional) throw new ContainerConfigError(`configmap ${JSON.stringify(name)} not found`);
    return data;
  }

  async secret({ name = '', optional = false }: Reference): Promise<KeyedData | undefined> {
    const data = await this.#parts.data.secret(this.#namespace, name);
    if (data === undefined && !optional) throw new ContainerConfigError(`secret ${JSON.stringify(name)} not found`);
    const decoded = Object.entries(data ?? {}).map(([key, text]) => [key, Buffer.from(text, 'base64').toString()]);
    return data === undefined ? undefined : Object.fromEntries(decoded);
  }

  async valueOf({
    fieldRef,
    resourceFieldRef,
    configMapKeyRef,
    secretKeyRef,
    fileKeyRef,
  }: Source): Promise<string | undefined> {
    if (fieldRef !== undefined) return fieldValue(this.#pod, fieldRef.fieldPath, this.#parts);
    if (resourceFieldRef !== undefined) {
      const { allocatable } = this.#parts;
      return resourceValue(this.#pod, resourceFieldRef, { container: this.#container, allocatable });
    }
    if (configMapKeyRef !== undefined)
      return this.#key('ConfigMap', configMapKeyRef, await this.configMap(configMapKeyRef));
    if (secretKeyRef !== undefined) return this.#key('Secret', secretKeyRef, await this.secret(secretKeyRef));
    return fileKeyRef === undefined ? '' : this.#fromFile(fileKeyRef);
  }

  #key(kind: string, reference: Reference & { readonly key: string }, data: KeyedData | undefined): string | undefined {
    const { key, name = '', optional = false } = reference;
    const value = data !== undefined && Object.hasOwn(data, key) ? data[key] : undefined;
    if (value !== undefined || optional) return value;
    throw new ContainerConfigError(`couldn't find key ${key} in ${kind} ${this.#namespace}/${name}`);
  }

  async #fromFile({
    volumeName,
    path,
    key,
    optional = false,
  }: DeepReadonly<core.FileKeySelector>): Promise<string | undefined> {
    const inside = posix.join('/', path);
    let text: string | undefined;
    let value: string | undefined;
    try {
      text = await this.#parts.readFile(volumeName, inside);
      value = text === undefined ? undefined : environmentFileValue(text, key);
    } catch (cause) {
      if (cause instanceof ContainerConfigError) throw cause;
      throw new ContainerConfigError("couldn't parse env file", { cause });
    }
    if (value !== undefined || optional || text === undefined) return value;
    throw new ContainerConfigError(
      `environment variable key ${JSON.stringify(key)} not found in file ${JSON.stringify(inside)}`,
    );
  }

  get #namespace(): string {
    return this.#pod.metadata.namespace ?? '';
  }
}

/** `NAME='value'`, perhaps over several lines, and then nothing but a comment. */
const ASSIGNMENT = /[ \t]*([^=\n]*[^=\s])=(?:[ \t][^\n]*|'([^']*)'[ \t]*(?:#[^\n]*)?)(?:\n|$)/y;
const NOTHING = /[ \t]*(?:#[^\n]*)?(?:\n|$)/y;

/**
 * The value of a variable in a file of variables (KEP-5307): the part of the shell's syntax where values are in single quotes.
 * Undefined when the file does not define the variable, or defines it without a value. Files with any other syntax are rejected.
 */
export function environmentFileValue(text: string, key: string): string | undefined {
  for (let at = 0; at < text.length;) {
    const pattern = matchAt(NOTHING, text, at) === null ? ASSIGNMENT : NOTHING;
    const match = matchAt(pattern, text, at);
    if (match === null) {
      const line = text.slice(0, at).split('\n').length;
      throw new Error(`invalid environment variable format at line ${line}`);
    }
    if (match[1] === key) return match[2] === undefined || match[2] === '' ? undefined : match[2];
    at += match[0].length;
  }
  return undefined;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
