import { BrokerError, refusals } from '../protocol/broker-error.ts';
import { isJsonObject } from '../protocol/identity-header.ts';
import type { JsonObject } from '../protocol/osb.ts';
import { parameterProblems, withDefaults } from '../schema/parameter-schema.ts';
import type { OfferedPlan } from './broker-catalog.ts';

/** A request is malformed, or misses something. */
export function malformed(message: string): BrokerError {
  return new BrokerError(400, message, { error: 'BadRequest' });
}

/** A text that must be there. */
export function requiredText(body: JsonObject, field: string): string {
  const value = body[field];
  if (typeof value !== 'string' || value === '')
    throw malformed(`The request needs "${field}", a text that is not empty`);
  return value;
}

export function optionalText(body: JsonObject, field: string): string | undefined {
  const value = body[field];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string' || value === '') throw malformed(`"${field}" of the request is no text, or empty`);
  return value;
}

/** An object; null means the same as nothing. */
export function optionalObject(body: JsonObject, field: string): JsonObject | undefined {
  const value = body[field];
  if (value === undefined || value === null) return undefined;
  if (!isJsonObject(value)) throw malformed(`"${field}" of the request is no object`);
  return value;
}

/** The version that the platform believes in; refused when the catalog has another one. */
export function maintenanceVersion(body: JsonObject, plan: OfferedPlan): string | undefined {
  const info = optionalObject(body, 'maintenance_info');
  if (info === undefined) return undefined;
  const version = requiredText(info, 'version');
  const current = plan.wire.maintenance_info?.version;
  if (version !== current) throw refusals.maintenance(current);
  return version;
}

/** The parameters with their defaults; refused when they do not fit. */
export function fitting(schema: JsonObject | undefined, parameters: JsonObject): JsonObject {
  if (schema === undefined) return parameters;
  const filled = withDefaults(schema, parameters) as JsonObject;
  refuseProblems(parameterProblems(schema, filled));
  return filled;
}

export function refuseProblems(problems: readonly string[]): void {
  if (problems.length === 0) return;
  throw new BrokerError(400, `The parameters do not fit: ${problems.join('; ')}`, { error: 'InvalidParameters' });
}
