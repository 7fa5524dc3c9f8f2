import { MAX_SCHEMA_BYTES } from '../schema/parameter-schema.ts';
import { isJsonObject } from './identity-header.ts';
import type { JsonObject } from './osb.ts';

const PERMISSIONS = ['syslog_drain', 'route_forwarding', 'volume_mount'];
/** Semantic versions 2.0. */
const SEMVER =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(\.(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?(\+[0-9a-zA-Z-]+(\.[0-9a-zA-Z-]+)*)?$/;

/** Which rule of catalogs is broken. */
export type CatalogRule = 'fields' | 'ids' | 'names' | 'plans' | 'schemas' | 'maintenance';

/** A broken rule, and where it is. */
export interface CatalogFinding {
  readonly rule: CatalogRule;
  readonly text: string;
}

/** What the specification forbids in a catalog, one sentence each. */
export function catalogProblems(catalog: unknown): readonly string[] {
  return catalogFindings(catalog).map(({ text }) => text);
}

/** The same by rules. */
export function catalogFindings(catalog: unknown): readonly CatalogFinding[] {
  if (!isJsonObject(catalog)) return [{ rule: 'fields', text: 'the catalog is no object' }];
  const { services } = catalog;
  if (!Array.isArray(services)) return [{ rule: 'fields', text: '"services" is no list' }];
  const found: CatalogFinding[] = [];
  const ids = new Set<unknown>();
  const names = new Set<unknown>();
  for (const [index, service] of services.entries()) {
    const place = nameOf('service', service, index);
    const say: Say = (problem, rule = 'fields') => found.push({ rule, text: `${place}: ${problem}` });
    if (!isJsonObject(service)) {
      say('it is no object');
      continue;
    }
    checkNamed(service, { ids, names, say });
    checkService(service, say);
    const plans: readonly unknown[] = Array.isArray(service['plans']) ? service['plans'] : [];
    if (plans.length === 0) say('it has no plans', 'plans');
    const planNames = new Set<unknown>();
    for (const [at, plan] of plans.entries()) {
      const sayOfPlan: Say = (problem, rule = 'fields') =>
        found.push({ rule, text: `${nameOf('plan', plan, at)} of ${place}: ${problem}` });
      if (!isJsonObject(plan)) sayOfPlan('it is no object');
      else {
        checkNamed(plan, { ids, names: planNames, say: sayOfPlan });
        checkPlan(plan, sayOfPlan);
      }
    }
  }
  return found;
}

type Say = (problem: string, rule?: CatalogRule) => unknown;

function nameOf(what: string, value: unknown, index: number): string {
  const name = isJsonObject(value) ? value['name'] : undefined;
  return typeof name === 'string' && name !== '' ? `${what} "${name}"` : `${what} ${index}`;
}

interface Known {
  readonly ids: Set<unknown>;
  readonly names: Set<unknown>;
  readonly say: Say;
}

function checkNamed(value: JsonObject, { ids, names, say }: Known): void {
  for (const field of ['id', 'name', 'description'])
    if (typeof value[field] !== 'string' || value[field] === '') say(`"${field}" is no text, or empty`);
  if (ids.has(value['id'])) say(`its id ${JSON.stringify(value['id'])} is that of another service or plan`, 'ids');
  if (names.has(value['name'])) say('another one has the same name', 'names');
  ids.add(value['id']);
  names.add(value['name']);
}

function checkService(service: JsonObject, say: Say): void {
  if (typeof service['bindable'] !== 'boolean') say('"bindable" is no boolean');
  for (const field of ['instances_retrievable', 'bindings_retrievable', 'allow_context_updates', 'plan_updateable'])
    checkBoolean(service, field, say);
  const { requires, tags, metadata } = service;
  if (tags !== undefined && !isTexts(tags)) say('"tags" is no list of texts');
  if (metadata !== undefined && !isJsonObject(metadata)) say('"metadata" is no object');
  if (requires === undefined) return;
  if (!isTexts(requires)) say('"requires" is no list of texts');
  else
    for (const each of requires)
      if (!PERMISSIONS.includes(each)) say(`"requires" has "${each}", and may have ${PERMISSIONS.join(', ')}`);
}

function checkPlan(plan: JsonObject, say: Say): void {
  for (const field of ['free', 'bindable', 'binding_rotatable', 'plan_updateable']) checkBoolean(plan, field, say);
  const { metadata, maximum_polling_duration: longest, maintenance_info: maintenance, schemas } = plan;
  if (metadata !== undefined && !isJsonObject(metadata)) say('"metadata" is no object');
  if (longest !== undefined && !Number.isInteger(longest)) say('"maximum_polling_duration" is no integer');
  if (maintenance !== undefined) {
    const version = isJsonObject(maintenance) ? maintenance['version'] : undefined;
    if (typeof version !== 'string' || !SEMVER.test(version))
      say(
        `the version of "maintenance_info" is ${JSON.stringify(version)}, and no semantic version 2.0`,
        'maintenance',
      );
  }
  if (schemas === undefined) return;
  if (!isJsonObject(schemas)) {
    say('"schemas" is no object');
    return;
  }
  for (const [part, verb] of SCHEMA_PLACES) {
    const holder = isJsonObject(schemas[part]) ? schemas[part][verb] : undefined;
    const schema = isJsonObject(holder) ? holder['parameters'] : undefined;
    if (schema !== undefined)
      checkSchema(schema, (problem) => say(`the schema of ${part}.${verb}: ${problem}`, 'schemas'));
  }
}

const SCHEMA_PLACES = [
  ['service_instance', 'create'],
  ['service_instance', 'update'],
  ['service_binding', 'create'],
] as const;

function checkSchema(schema: unknown, say: Say): void {
  if (!isJsonObject(schema)) {
    say('it is no object');
    return;
  }
  if (typeof schema['$schema'] !== 'string') say('it has no "$schema" with the version of JSON Schema');
  const text = JSON.stringify(schema);
  if (Buffer.byteLength(text) > MAX_SCHEMA_BYTES) say('it is larger than 64 KiB');
  const outside = /"\$ref":"(?!#)([^"]*)"/.exec(text);
  if (outside !== null) say(`it refers to "${outside[1] ?? ''}", which is outside of it`);
}

function checkBoolean(value: JsonObject, field: string, say: Say): void {
  if (value[field] !== undefined && typeof value[field] !== 'boolean') say(`"${field}" is no boolean`);
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}
