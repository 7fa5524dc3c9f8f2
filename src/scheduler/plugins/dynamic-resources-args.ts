import { type FieldError, invalidValue } from '../../api/index.ts';
import { parseDuration } from '../../base/index.ts';
import { childPath, refuseArguments } from './plugin-arguments.ts';

/** The arguments of DynamicResources, as in DynamicResourcesArgs. */
export interface DynamicResourcesArgs {
  /** Time limit for allocating devices on one node; default `10s`. */
  readonly filterTimeout?: string;
  /** Time limit for drivers to prepare devices before others are tried; default `10m`. */
  readonly bindingTimeout?: string;
}

/** The arguments of DynamicResources with defaults in place. */
export interface DynamicResourcesSettings {
  readonly filterTimeoutMs: number;
  readonly bindingTimeoutMs: number;
}

const MIN_BINDING_TIMEOUT_MS = 1000;

/** Reads the arguments of DynamicResources from a profile. */
export function readDynamicResourcesArgs(args: unknown): DynamicResourcesSettings {
  const given = (args ?? {}) as DynamicResourcesArgs;
  refuseArguments('DynamicResources', dynamicResourcesArgsErrors(given));
  return timeoutsOf(given);
}

/** Validates the arguments, in kube-scheduler's words. */
export function dynamicResourcesArgsErrors(args: DynamicResourcesArgs, path = ''): FieldError[] {
  const { filterTimeoutMs, bindingTimeoutMs } = timeoutsOf(args);
  const errors: FieldError[] = [];
  if (filterTimeoutMs < 0)
    errors.push(invalidValue(childPath(path, 'filterTimeout'), args.filterTimeout, 'must be zero or positive'));
  if (bindingTimeoutMs < MIN_BINDING_TIMEOUT_MS)
    errors.push(invalidValue(childPath(path, 'bindingTimeout'), args.bindingTimeout, 'must be at least 1 second'));
  return errors;
}

function timeoutsOf({ filterTimeout = '10s', bindingTimeout = '10m' }: DynamicResourcesArgs): DynamicResourcesSettings {
  return { filterTimeoutMs: parseDuration(filterTimeout), bindingTimeoutMs: parseDuration(bindingTimeout) };
}
